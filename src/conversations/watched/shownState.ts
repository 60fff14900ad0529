import type { ScreenStates } from '../../core/driver/screenStates.ts';
import type { ShownState } from '../../protocol/records.ts';
import { questionIn, type ShownQuestion } from './shownQuestion.ts';

/** A screen, and what the CLI says beside it. */
export interface Shown {
	/** All of the screen. */
	readonly lines: readonly string[];
	readonly title: string;
	/** The status that OSC 7501 reports. */
	readonly status: string | undefined;
	/** Whether a turn is open, by OSC 9;4. */
	readonly isTurnOpen: boolean | undefined;
}

export interface Reading {
	/** `undefined` if the evidence does not tell. */
	readonly state: ShownState | undefined;
	/** While it asks, if the screen shows the whole dialog. */
	readonly question: ShownQuestion | undefined;
}

/** Text of a CLI's own below an answer of the model: an input line with its footer. */
const BOTTOM_LINES = 14;

const STATUS: ReadonlyMap<string | undefined, readonly ShownState[]> = new Map([
	['idle', ['idle']],
	['done', ['idle']],
	['error', ['idle']],
	['working', ['working']],
	['blocked', ['asking', 'trust']],
]);
const OPEN: readonly ShownState[] = ['asking', 'working'];
const OVER: readonly ShownState[] = ['idle'];

/** What a CLI does, as its screen shows it. Text of a model that looks like a question is none: see {@link ScreenStates}. */
export function readingOf(shown: Shown, profile: ScreenStates): Reading {
	const lines = withoutBlankEnd(shown.lines.map(line => line.trimEnd()));
	const question = questionIn(lines, profile.questions);
	const bottom = lines.slice(-BOTTOM_LINES).join('\n');
	const seen = profile.bottoms.find(({ is }) => is.test(bottom))?.means;
	const { isTurnOpen } = shown;
	const state = narrowed([
		STATUS.get(shown.status),
		profile.titles.find(({ is }) => is.test(shown.title))?.means,
		isTurnOpen === undefined ? undefined : isTurnOpen ? OPEN : OVER,
		question && [question.state],
		seen && [seen],
	]);
	return { state, question: question && question.state === state ? question : undefined };
}

/** @param evidence the best first; one that contradicts a better one says nothing */
function narrowed(evidence: readonly (readonly ShownState[] | undefined)[]): ShownState | undefined {
	let open: readonly ShownState[] = [];
	for (const states of evidence) {
		if (states === undefined) continue;
		const left = open.length === 0 ? states : open.filter(state => states.includes(state));
		if (left.length > 0) open = left;
	}
	return open.length === 1 ? open[0] : undefined;
}

function withoutBlankEnd(lines: readonly string[]): readonly string[] {
	return lines.slice(0, lines.findLastIndex(line => line !== '') + 1);
}
