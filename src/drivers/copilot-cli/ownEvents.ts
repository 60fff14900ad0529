// Events of Nancy's own extensions, for which the CLI has no hook: see extension.ts and questions.ts.

/** An extension has joined a session. */
export const JOINED = 'nancyJoined';
/** A session's bell has rung. */
export const BELL = 'nancyBell';
/** The CLI asks its user. Only the process that waits for the answer reads it. */
export const ASKS = 'nancyAsks';
/** The CLI has an answer. */
export const ANSWERED = 'nancyAnswered';
