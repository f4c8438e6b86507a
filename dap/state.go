package dap

// phase is how far a session has come. It decides which requests the protocol allows.
type phase int

const (
	phaseNew         phase = iota // before initialize
	phaseInitialized              // there is no program yet
	phaseStarting                 // the program is being started in a terminal of the client
	phaseConfiguring              // there is a program; configurationDone has not been sent
	phaseRunning                  // as far as the client has been told
	phaseStopped                  // the client has been told so, and has not resumed the program
	phaseEnded                    // `terminated` was sent
	phaseRelaying                 // another server answers the client
	phaseOver                     // nothing is read any more
)

// owner is who owns the program of a session, and so decides when it ends.
type owner int

const (
	ownerNone   owner = iota // no program was launched or attached to
	ownerLaunch              // this session launched it, for itself
	ownerShared              // this session launched it; child sessions attach to it
	ownerOther               // it runs on its own, or another session launched it: this one attached
)
