/** Exported memory */
export declare const memory: WebAssembly.Memory;
/**
 * words/count
 * @param limit `i32`
 * @returns `i32`
 */
export declare function count(limit: number): number;
