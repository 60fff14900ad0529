import type { Phrase } from '../../base/phrase.ts';

/** What an agent in a terminal may do unasked, as flags of its CLI. Part of the driver contract. */
export interface LaunchModes {
	/** Most careful first. In each, the agent asks a person before anything else. So a mode that never asks is none of them. */
	readonly modes: readonly LaunchMode[];
	/** An argument of the user's own that sets another mode: one word, or one and the next with `=` between them. */
	readonly replacedBy: RegExp;
}

export interface LaunchMode {
	id: string;
	label: Phrase;
	/** What it allows, in a sentence. */
	detail: Phrase;
	args: readonly string[];
}
