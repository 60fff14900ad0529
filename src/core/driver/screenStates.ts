import * as z from 'zod/mini';
import { SessionId } from '../../protocol/names.ts';
import type { ShownState } from '../../protocol/records.ts';

/**
 * What an option means. `always`: also for what comes later. `no-with-words`: the words go to the model. `other`: something else, such as an
 * editor.
 */
export type OptionMeaning = 'always' | 'no' | 'no-with-words' | 'other' | 'yes';

/** One option of a question, known by its label. A label may match several of them: each is a way to choose it. */
export interface OptionMarks {
	/** Matches the whole label, in one line. */
	readonly label: RegExp;
	readonly means: OptionMeaning;
	/** `digit`: the number in front of the label chooses it. `unknown`: the screen does not tell which keys would. Otherwise the key. */
	readonly key: 'digit' | 'unknown' | (string & {});
}

/**
 * How a question stands in the last lines of the screen. Text of a model can look like any line of it. So the marks go together, from the
 * first line of the dialog to the last line of the screen. A CLI that asks nothing has its input line or its footer there.
 */
export interface QuestionMarks {
	readonly state: 'asking' | 'trust';
	/** The first line of the dialog, in which no line of its contents can begin like this. */
	readonly top: RegExp;
	/** What stands in each line before and behind the text, such as a frame; removed before `whole` is looked for. */
	readonly frame?: RegExp;
	/**
	 * The dialog to its end. Groups: `asks` is the sentence, `options` the list, and `what` the text that the dialog contains. `tool` is
	 * the CLI's word for its tool, and `about` what it says of the call beside that. `what` begins no later and ends no earlier than the
	 * text that the CLI shows, whatever that text holds.
	 */
	readonly whole: RegExp;
	/** Each option of the list has one. */
	readonly options: readonly OptionMarks[];
}

/**
 * How a CLI shows what it does. The evidence, best first: its own reports (OSC 7501), the title, an open turn (OSC 9;4), and the last lines.
 * Each decides between the states that a better one has left open.
 */
export interface ScreenStates {
	/**
	 * What takes a person's answers from elsewhere: a hook of the CLI's, or nothing but its keys, after whose No the turn ends. `line`: keys
	 * too, and the turn goes on after a No.
	 */
	readonly answers: 'hook' | 'keys' | 'line';
	/** What a title can mean. One that matches none says nothing. */
	readonly titles: readonly { readonly is: RegExp; readonly means: readonly ShownState[] }[];
	/** What the last lines mean, joined: the first that matches. */
	readonly bottoms: readonly { readonly is: RegExp; readonly means: 'idle' | 'working' }[];
	readonly questions: readonly QuestionMarks[];
}

/** An event of Nancy's own: a question that no hook of the CLI answers stands on its screen. */
export const ASKS_ON_SCREEN = 'askOnScreen';

/** What a guard is told of such a question, to hold it at the desk. */
export const AskedOnScreen = z.object({
	session: SessionId,
	cwd: z.string(),
	/** The sentence. */
	asks: z.string(),
	/** The CLI's word for its tool. */
	tool: z.string(),
	/** What the dialog says of the call beside its text. */
	about: z.string(),
	/** The text in the dialog. Lines that the screen has broken are lines of their own. */
	what: z.string(),
});
export type AskedOnScreen = z.infer<typeof AskedOnScreen>;
