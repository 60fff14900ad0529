import { stripVTControlCharacters } from 'node:util';
import { phrase } from '../../base/phrase.ts';
import type { HeadlessEvent, HeadlessFormat, HeadlessReader } from '../../core/driver/headless.ts';
import { refuseLoosening } from '../loosening.ts';
import { asPrompt, chatFlags, sessionVariable } from './launch.ts';

const EVERYTHING = 'everything';

/** A tool that is not among them ends the run: nobody can be asked. */
const TRUSTED: Readonly<Record<string, string>> = {
	read: '--trust-tools=fs_read',
	edit: '--trust-tools=fs_read,fs_write',
	[EVERYTHING]: '--trust-all-tools',
};

/** What widens a mode: other trusted tools, or an agent that allows more. */
const LOOSENING = /^(?:--(?:trust|agent|profile)|-[a-z]*a)/;

/** Source: `ChatArgs` of Amazon Q CLI 1.19.7. Without a prompt on the command line, the piped input is the prompt. */
export const headless: HeadlessFormat = {
	permissionModes: [
		{
			id: 'read',
			label: phrase`Read only`,
			detail: phrase`Reads files, and runs commands that Amazon Q counts as reading. Anything else ends the run with an error.`,
			width: 0,
		},
		{
			id: 'edit',
			label: phrase`Edit`,
			detail: phrase`Reads and writes files, also outside of its folder. A command that changes something ends the run with an error.`,
			width: 1,
		},
		{
			id: EVERYTHING,
			label: phrase`Everything`,
			detail: phrase`Everything, without asking. For sandboxes.`,
			width: 2,
		},
	],
	settingsFrom: 'none',
	homeFolders: 'none',
	beside: 'Nobody has tried these modes: they are taken from Amazon Q’s source.',
	launch: ({ permissions, extra, prompt, session, model, hooks }) => {
		if (permissions !== EVERYTHING) refuseLoosening(extra, LOOSENING, EVERYTHING);
		return {
			args: [
				'chat',
				'--no-interactive',
				'--wrap=never',
				...chatFlags({ model, hooks }),
				TRUSTED[permissions] ?? '--trust-tools=',
				...extra,
			],
			stdin: asPrompt(prompt),
			env: sessionVariable(session),
			sessionIsKnown: true,
		};
	},
	reader: () => new AnswerReader(),
};

/** Its answer is all that it prints to standard output: coloured text, with `> ` before it. */
class AnswerReader implements HeadlessReader {
	private readonly lines: string[] = [];

	read(line: string): readonly HeadlessEvent[] {
		const shown = stripVTControlCharacters(line);
		const text = this.lines.length === 0 ? shown.replace(/^> /, '') : shown;
		if (text === '' && this.lines.length === 0) return [];
		this.lines.push(text);
		return text === '' ? [] : [{ is: 'text', text }];
	}

	/** After an error, its standard error says why. */
	end(exitCode: number | null): readonly HeadlessEvent[] {
		if (exitCode !== 0) return [];
		const text = this.lines.join('\n').trim();
		return [
			{
				is: 'result',
				result: { text, inputTokens: undefined, outputTokens: undefined, costUsd: undefined },
			},
		];
	}
}
