import * as z from 'zod/mini';

/**
 * How a delegate is kept apart from the rest of the machine. `bwrap`: in namespaces made by bubblewrap, with the network. `bwrap-offline`:
 * the same without any network.
 */
export const Isolation = z.enum(['bwrap', 'bwrap-offline']);
export type Isolation = z.infer<typeof Isolation>;

/** What a person chooses. */
export const IsolationChoice = z.enum(['none', ...Isolation.options]);
export type IsolationChoice = z.infer<typeof IsolationChoice>;

/**
 * The environment variable of an isolated agent, with how it is isolated. It spares the agent calls in vain; the sandbox itself is what
 * holds.
 */
export const ISOLATED_MARK = 'NANCY_ISOLATED';
