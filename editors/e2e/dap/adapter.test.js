// The adapter under VS Code's own test client, over standard input and output and over TCP.
// Environment: WASM_DAP (the program).
const { DebugClient } = require('@vscode/debugadapter-testsupport');
const assert = require('assert'), path = require('path'), fs = require('fs'), { spawn } = require('child_process');
const DAP = process.env.WASM_DAP;
const program = path.resolve(__dirname, '../../../testdata/examples/cont/generator.wat');
const text = fs.readFileSync(program, 'utf8').split('\n');
const lineOf = s => text.findIndex(l => l.includes(s)) + 1;
const SUSPEND = lineOf('(suspend $yield'), RESUME = lineOf('(resume $gen');

function suite(name, make) {
  describe(name, () => {
    let dc, end = () => {};
    beforeEach(async () => { ({ dc, end } = await make()); });
    afterEach(async () => { await dc.stop(); end(); });

    it('tells what it can do', async () => {
      const { body } = await dc.initializeRequest();
      for (const c of ['supportsConfigurationDoneRequest', 'supportsTerminateThreadsRequest', 'supportsSingleThreadExecutionRequests', 'supportsDisassembleRequest']) assert.strictEqual(body[c], true, c);
    });
    it('refuses a request that does not exist', async () => {
      await dc.initializeRequest();
      await assert.rejects(() => dc.send('no_such_request'));
    });
    it('refuses a program that does not exist', async () => {
      await assert.rejects(() => Promise.all([dc.configurationSequence(), dc.launch({ program: path.join(__dirname, 'none.wat') })]));
    });
    it('stops on entry, and steps', async () => {
      await Promise.all([dc.configurationSequence(), dc.launch({ program, stopOnEntry: true }), dc.assertStoppedLocation('entry', { path: program })]);
      await Promise.all([dc.stepInRequest({ threadId: 1 }), dc.assertStoppedLocation('step', { path: program })]);
    });
    it('hits a breakpoint on the generator\'s stack and shows both stacks', async () => {
      await dc.hitBreakpoint({ program }, { path: program, line: SUSPEND });
      const { body: { threads } } = await dc.threadsRequest();
      assert.match(threads[0].name, /^#2 .*running/);
      assert.match(threads[1].name, /^#1 .*waiting for #2/);
      const { body: { stackFrames } } = await dc.stackTraceRequest({ threadId: threads[0].id });
      assert.deepStrictEqual(stackFrames.slice(0, 2).map(f => f.presentationHint), [undefined, 'label']);
      const { body: { scopes } } = await dc.scopesRequest({ frameId: stackFrames[0].id });
      const { body: { variables } } = await dc.variablesRequest({ variablesReference: scopes[0].variablesReference });
      assert.deepStrictEqual(variables.map(v => [v.name, v.value]), [['$i', '0']]);
      assert.strictEqual((await dc.evaluateRequest({ expression: '$length', frameId: stackFrames[0].id })).body.result, '1000');
      // A step into a suspension leads to the stack that handles it; one over the resume comes back.
      await Promise.all([dc.stepInRequest({ threadId: 2 }), dc.waitForEvent('stopped').then(e => assert.strictEqual(e.body.threadId, 1))]);
    });
    it('stays on its stack when it steps over a suspension', async () => {
      await dc.hitBreakpoint({ program }, { path: program, line: SUSPEND });
      await dc.setBreakpointsRequest({ source: { path: program }, breakpoints: [] });
      await Promise.all([dc.nextRequest({ threadId: 2 }), dc.waitForEvent('stopped').then(e => assert.deepStrictEqual([e.body.threadId, e.body.reason], [2, 'step']))]);
    });
    it('breaks on a condition, changes a variable, and runs to the end', async () => {
      let output = '';
      dc.on('output', e => { output += e.body.output; });
      await Promise.all([
        dc.waitForEvent('initialized').then(() => dc.setBreakpointsRequest({ source: { path: program }, breakpoints: [{ line: SUSPEND, condition: '$i == 998' }] })).then(() => dc.configurationDoneRequest()),
        dc.launch({ program }), dc.waitForEvent('stopped')]);
      const { body: { stackFrames } } = await dc.stackTraceRequest({ threadId: 2 });
      const { body: { scopes } } = await dc.scopesRequest({ frameId: stackFrames[0].id });
      await dc.setVariableRequest({ variablesReference: scopes[0].variablesReference, name: '$i', value: '999' });
      await Promise.all([dc.continueRequest({ threadId: 2 }), dc.waitForEvent('terminated')]);
      assert.match(output, /i64\.const/);
    });
    it('sends what the client has no method for', async () => {
      await dc.hitBreakpoint({ program }, { path: program, line: RESUME });
      const { body } = await dc.customRequest('stackscope/stacks', {});
      assert.strictEqual(body.total, 2);
      const { body: { stackFrames } } = await dc.stackTraceRequest({ threadId: 1 });
      const d = await dc.customRequest('disassemble', { memoryReference: stackFrames[0].instructionPointerReference, instructionOffset: -3, instructionCount: 7 });
      assert.strictEqual(d.body.instructions.length, 7);
    });
  });
}
// The client spawns the program with one argument.
suite('stdio', async () => { const dc = new DebugClient(DAP, 'serve', 'wasm'); await dc.start(); return { dc, end() {} }; });
suite('tcp', async () => {
  const server = spawn(DAP, ['serve', '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const port = await new Promise((yes, no) => { server.on('error', no); server.stderr.on('data', d => { const m = /:(\d+)\s*$/.exec(String(d)); if (m) yes(+m[1]); }); });
  const dc = new DebugClient(DAP, 'serve', 'wasm');
  await dc.start(port);
  return { dc, end: () => server.kill() };
});
