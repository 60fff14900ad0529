import type { Capability } from '../../src/core/driver/abilities.ts';
import type { ConformanceLab, LabOptions } from './lab.ts';

/** What a cell saw. Seeing nothing is no verdict: then it throws. */
export type Verdict =
	/** `because` completes the picture in a sentence for a person. */
	{ is: 'works'; because?: string } | { is: 'partial' | 'not possible'; because: string };

export const WORKS: Verdict = { is: 'works' };

export function partly(because: string): Verdict {
	return { is: 'partial', because };
}

export function notPossible(because: string): Verdict {
	return { is: 'not possible', because };
}

/** One row of the matrix: something Nancy does with every agent, tried on a real one. */
export interface Cell {
	/** Names it on the command line and in docs/conformance.json. */
	id: string;
	/** Its row: what a person gets. */
	title: string;
	/** Abilities that a driver must declare for this; where it declares one as missing, its own sentence is the reason. */
	needs: readonly Capability[];
	/** The ability that this row is about: what the driver says to limit it stands here. */
	about?: Capability;
	/** Further abilities that it shows where a driver declares them: one that lacks them can do this too. */
	alsoShows?: readonly Capability[];
	/** Whether it is tried even where the driver says that it cannot be: a driver that understates is noticed. */
	triedAnyway: boolean;
	lab?: LabOptions;
	run(lab: ConformanceLab): Promise<Verdict>;
}

/** Fails the cell with a sentence that says what was seen instead. */
export function must(condition: boolean, otherwise: string): asserts condition {
	if (!condition) throw new Error(otherwise);
}
