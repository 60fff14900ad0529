import type { Diff } from '@agentclientprotocol/sdk';
import { changedLines, GAP, lineDiff } from '../base/lineDiff.ts';
import { exact } from '../base/visible.ts';
import type { Style } from './style.ts';

/** Unchanged lines around a change. */
const AROUND = 3;

export interface Row {
	readonly text: string;
	readonly style?: Style;
}

/** What would change, or has changed, as an agent says it. */
export interface Change {
	/** Its file, and the changed lines behind `+` and `-`. */
	readonly rows: readonly Row[];
	/** The texts of which the rows show every line. */
	readonly shown: readonly string[];
}

export function changeOf({ path, oldText, newText }: Diff): Change {
	const before = oldText ?? '';
	const lines = changedLines(lineDiff(before, newText), AROUND);
	return {
		rows: [...rowsIn(`${path}:`), ...lines.map(changed)],
		shown: lines.includes(GAP) ? [] : [before, newText].filter(Boolean),
	};
}

/** The lines of an agent's text. */
export function rowsIn(text: string): Row[] {
	return exact(text)
		.split('\n')
		.map(line => ({ text: line }));
}

function changed(line: string): Row {
	const text = exact(line);
	return line.startsWith('+ ') ? { text, style: 'green' } : line.startsWith('- ') ? { text, style: 'red' } : { text };
}
