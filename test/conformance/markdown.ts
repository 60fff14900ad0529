import type { CellResult, Column, ConformanceReport } from './report.ts';
import type { Untried } from './untried.ts';

const WORDS: Readonly<Record<CellResult['is'], string>> = {
	works: 'works',
	partial: '*partial*',
	'not possible': '– not possible',
	fails: '**fails**',
};

/** docs/conformance.md: a row for each cell, a column for each CLI, a numbered note for each reason. CLIs that nobody can try come last. */
export function markdownOf({ rows, columns: all, talked }: ConformanceReport, untried: readonly Untried[]): string {
	const columns = all.filter(({ is }) => is !== 'floor');
	const notes: string[] = [];
	const withNote = (words: string, note: string | undefined) => {
		if (note === undefined) return words;
		const known = notes.indexOf(note);
		const number = known >= 0 ? known + 1 : notes.push(note);
		return `${words} [${number}](#notes)`;
	};
	const cellOf = (column: Column, id: string) => {
		const result = column.cells[id];
		return result ? withNote(WORDS[result.is], noteOf(result)) : 'not tried';
	};
	const untriedCell = ({ from, cells }: Untried, id: string) => {
		const { isPossible = true, because } = cells[id] ?? {};
		const words = `from its ${from}, not tried`;
		return withNote(isPossible ? words : `– not possible (${words})`, because && oneLine(because));
	};
	const linesOf = (rows: ConformanceReport['rows'], columns: readonly Column[], others: readonly Untried[] = []) => {
		const table = [
			[
				'',
				...columns.map(
					column => `${column.displayName}<br>${column.version}${column.is === 'newest' ? ' (newest)' : ''}`,
				),
				...others.map(({ displayName, version }) => `${displayName}<br>${version}`),
			],
			['---', ...[...columns, ...others].map(() => '---')],
			...rows.map(({ id, title }) => [
				title,
				...columns.map(column => cellOf(column, id)),
				...others.map(each => untriedCell(each, id)),
			]),
			['*tried since*', ...columns.map(column => column.date), ...others.map(() => 'never')],
		];
		return table.map(cells => `| ${cells.join(' | ')} |`);
	};
	return [
		'# What each agent can do with Nancy',
		'',
		'Written by `npm run conformance`, which drives each real CLI against a scripted model. “Works” means that the model received',
		'it. In rows about what the sidebar shows, it means that the programs that serve the sidebar have read it. Nothing that was',
		'tried is taken from a manual.',
		...(untried.length === 0
			? []
			: [
					'',
					`${untried.map(({ displayName }) => displayName).join(' and ')} cannot be installed where Nancy is made. A column of such a CLI says only what its driver`,
					'takes from its source or documents. Nobody has seen it.',
				]),
		'',
		...linesOf(rows, columns, untried),
		'',
		...floorsOf(all),
		...(talked.columns.length === 0 ? [] : talkedOf(linesOf(talked.rows, talked.columns))),
		'## Notes',
		'',
		...(notes.length === 0 ? ['None.'] : notes.map((note, index) => `${index + 1}. ${note}`)),
		'',
	].join('\n');
}

function talkedOf(lines: readonly string[]): string[] {
	return [
		'## Talked with over ACP',
		'',
		'Written by `npm run conformance -- --talked`: agents that Nancy’s own program in the terminal talks with over the Agent Client',
		'Protocol. Qwen Code and Gemini CLI run so where you have set that Nancy may answer what they ask. `nancy.agentServers` names the others.',
		'',
		...lines,
		'',
	];
}

/** What was tried on the oldest versions, and on the lowest one of each ability. */
function floorsOf(columns: readonly Column[]): string[] {
	const floors = columns.filter(({ is }) => is === 'floor');
	if (floors.length === 0) return [];
	const lines = floors.map(({ displayName, version, cells, date }) => {
		const ids = Object.keys(cells);
		const idsOf = (is: CellResult['is']) => ids.filter(id => cells[id]?.is === is);
		const failing = idsOf('fails');
		const tried = [
			`${idsOf('works').length} work`,
			`${idsOf('partial').length} in part`,
			...(failing.length === 0 ? [] : [`**${failing.length} fail**: ${failing.join(', ')}`]),
		];
		return `| ${displayName} ${version} | ${tried.join(', ')} | ${date} |`;
	});
	return [
		'## Lowest versions',
		'',
		'Written by `npm run conformance -- --floors`: the rows of the abilities that begin with a version, tried on that version. Rows that',
		'need no ability were tried on the oldest one.',
		'',
		'| | rows | tried since |',
		'| --- | --- | --- |',
		...lines,
		'',
	];
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
