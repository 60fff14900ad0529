import type { CellResult, Column, ConformanceReport } from './report.ts';

const WORDS: Readonly<Record<CellResult['is'], string>> = {
	works: 'works',
	partial: '*partial*',
	'not possible': '– not possible',
	fails: '**fails**',
};

/** docs/conformance.md: a row for each cell, a column for each CLI, a numbered note for each reason. */
export function markdownOf({ rows, columns }: ConformanceReport): string {
	const notes: string[] = [];
	const cellOf = (column: Column, id: string) => {
		const result = column.cells[id];
		if (!result) return 'not tried';
		const note = noteOf(result);
		if (note === undefined) return WORDS[result.is];
		const known = notes.indexOf(note);
		const number = known >= 0 ? known + 1 : notes.push(note);
		return `${WORDS[result.is]} [${number}](#notes)`;
	};
	const table = [
		[
			'',
			...columns.map(
				column => `${column.displayName}<br>${column.version}${column.is === 'newest' ? ' (newest)' : ''}`,
			),
		],
		['---', ...columns.map(() => '---')],
		...rows.map(({ id, title }) => [title, ...columns.map(column => cellOf(column, id))]),
		['*tried since*', ...columns.map(column => column.date)],
	];
	return [
		'# What each agent can do with Nancy',
		'',
		'Written by `npm run conformance`, which drives each real CLI against a scripted model. “Works” means that the model received',
		'it; where a row is about what the sidebar shows, that it was read by the same programs that serve the sidebar. Nothing here',
		'is taken from a manual.',
		'',
		...table.map(cells => `| ${cells.join(' | ')} |`),
		'',
		'## Notes',
		'',
		...(notes.length === 0 ? ['None.'] : notes.map((note, index) => `${index + 1}. ${note}`)),
		'',
	].join('\n');
}

function noteOf({ because, understated, is }: CellResult): string | undefined {
	const texts = [
		...(because === undefined ? [] : [oneLine(because)]),
		...(understated ? ['It was seen all the same: the driver says less than is true.'] : []),
	];
	if (texts.length === 0) return is === 'works' ? undefined : 'No reason was given.';
	return texts.join(' ');
}

/** A cell's reason may hold what a CLI printed. */
function oneLine(text: string): string {
	return text.replaceAll(/[\s<>|`]+/g, ' ').trim();
}
