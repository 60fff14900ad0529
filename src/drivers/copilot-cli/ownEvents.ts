// Events of Nancy's own extensions, for which the CLI has no hook: see extension.ts and questions.ts.

/** An extension has joined a session. */
export const JOINED = 'nancyJoined';
/** A session's bell has rung. */
export const BELL = 'nancyBell';
/** The CLI asks whether a tool may run. Only the process that waits for the answer reads it. */
export const ASKS = 'nancyAsks';
/** The model asks its user. The same holds for it. */
export const ASKS_USER = 'nancyAsksUser';
/** The CLI has an answer. */
export const ANSWERED = 'nancyAnswered';
