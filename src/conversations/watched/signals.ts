import type { Terminal } from '@xterm/headless';

/** What a program reports of itself: https://superlogical.com/rex/docs/build/program-status, revision 0.4. */
const STATUS = 7501;
/** `9;4;<state>;<percent>`, of ConEmu. State 0 ends it. */
const PROGRAM = 9;
const PROGRESS = /^4;(\d)/;

/** What a CLI says beside its screen. */
export class Signals {
	title = '';
	/** The state of its last report; `undefined` if there is none. */
	status: string | undefined;
	/** Whether a turn is open, by the progress that it shows; `undefined` if it has shown none. */
	isTurnOpen: boolean | undefined;

	constructor(terminal: Terminal) {
		terminal.onTitleChange(title => (this.title = title));
		terminal.parser.registerOscHandler(STATUS, report => {
			this.status = stateOf(report, this.status);
			return true;
		});
		terminal.parser.registerOscHandler(PROGRAM, data => {
			const state = PROGRESS.exec(data)?.[1];
			if (state !== undefined) this.isTurnOpen = state !== '0';
			return false;
		});
	}
}

/** @param before of the report that this one replaces */
function stateOf(report: string, before: string | undefined): string | undefined {
	const fields = new Map(report.split(':').map(field => splitAt(field, field.indexOf('='))));
	const state = fields.get('state');
	// A question to the terminal, or a report of a part of the program.
	if (state === undefined || fields.has('id')) return before;
	return state === 'clear' ? undefined : state;
}

const splitAt = (text: string, at: number): [string, string] => [text.slice(0, at), text.slice(at + 1)];
