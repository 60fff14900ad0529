import type { Asked } from './questions.ts';

/** A rule of a CLI's own that an answer has added to a file. */
export interface AddedRule {
	/** The CLI's own words. */
	readonly rule: string;
	/** As a person would write the path: from the workspace folder, or from `~`. */
	readonly keptIn: string;
	readonly asked: Asked;
	/** When it was answered. */
	readonly at: string;
}

/** What answers have added to files of the CLIs, newest first. A file may hold more, and no longer this: Nancy keeps no second list. */
export function addedRules(asked: readonly Asked[]): AddedRule[] {
	return asked
		.flatMap((each): AddedRule[] => {
			const { question, answer, outcome } = each;
			// Any other rule ends with the session.
			if (!answer || (answer.effect !== 'folder' && answer.effect !== 'user')) return [];
			// Until something shows otherwise, the CLI has added it.
			if (outcome && outcome.state !== 'applied' && outcome.state !== 'ended') return [];
			const { rule, keptIn } = question.choices.find(({ effect }) => effect === answer.effect) ?? {};
			return rule === undefined || keptIn === undefined ? [] : [{ rule, keptIn, asked: each, at: answer.at }];
		})
		.toSorted((a, b) => (a.at < b.at ? 1 : -1));
}
