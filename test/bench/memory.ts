import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { compile, type Candidate } from '../../src/core/memory/compile.ts';
import { requestOf } from '../../src/core/memory/extraction.ts';
import { anchorAt, lineHashes } from '../../src/core/memory/freshness.ts';
import { ProjectMemory } from '../../src/core/memory/memory.ts';
import { lineOf, noteId, notesIn, parseNotes } from '../../src/core/memory/noteFile.ts';
import { questionWithSchema } from '../../src/drivers/extraction.ts';
import { ProjectName, type Category } from '../../src/protocol/memoryNames.ts';
import { repository } from '../support/programs.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { benchFreshness } from './freshness.ts';
import { median, milliseconds, type Row } from './table.ts';

const NOTES = 5000;
const ROUNDS = 15;
const CATEGORIES: readonly Category[] = ['failures', 'decisions', 'architecture'];

/** What a prompt of a project with many notes waits for: the choice of what is told, and with it the reading of notes and files. */
export async function benchMemory(): Promise<Row[]> {
	await using folder = tempFolder('nancy-bench-memory-');
	const name = ProjectName.parse('large');
	const memory = new ProjectMemory(folder.path);
	await memory.open(name, repository, 'main');
	const lines = notesOf(globSync('src/core/**/*.ts', { cwd: repository }));
	mkdirSync(folder.file('projects', name, 'notes'));
	for (const category of CATEGORIES) {
		const own = lines.filter((_, at) => CATEGORIES[at % CATEGORIES.length] === category);
		writeFileSync(folder.file('projects', name, 'notes', `${category}.md`), `${own.join('\n')}\n`);
	}
	const prompt = 'Make the delivery of messages in src/core/mailbox faster, and say what the hook waits for';
	const candidates: Candidate[] = notesIn(parseNotes(lines.join('\n'), 'failures')).map(note => ({
		note,
		freshness: 'fresh',
		steps: 0,
		isByUser: false,
	}));
	const input = { project: name, task: 90, prompt, candidates, plan: '', session: [], maxTokens: 2000, touched: [] };
	const place = { folder: repository, branch: 'main', commit: undefined };
	const [chosen, whole]: [number[], number[]] = [[], []];
	for (let round = 0; round < ROUNDS; round++) {
		chosen.push(await timed(() => compile(input)));
		whole.push(await timed(() => memory.contexts.ofTask(name, place, prompt, undefined)));
	}
	return [
		{
			what: `what is told of ${NOTES} notes, processor time`,
			value: milliseconds(median(chosen)),
			against: `with notes and the lines of ${new Set(lines.map(line => / f:(\S+?):/.exec(line)?.[1])).size} files read: ${milliseconds(median(whole))}`,
			goal: '<= 50 ms',
			met: median(chosen) <= 50,
		},
		requestRow(lines),
		...benchFreshness(),
	];
}

/** How much larger than its digest a request is, as a protocol of a model carries it, for a CLI that takes no schema. */
function requestRow(lines: readonly string[]): Row {
	const digest = 'p1 user\n  Make the delivery faster\ne1 Edit (ok): src/core/mailbox/mailbox.ts\n';
	const plan = `Task 89: Half done\n${'- [ ] Measure it on a slow disk\n'.repeat(60)}`;
	const notes = notesIn(parseNotes(lines.join('\n'), 'failures')).map(note => ({
		...note,
		freshness: 'fresh' as const,
	}));
	const { texts, listed } = requestOf(digest, {
		task: { number: 90, prompt: 'Make the delivery faster' },
		notes,
		plan,
	});
	const size =
		Buffer.byteLength(JSON.stringify([texts.rules, questionWithSchema(texts)])) - Buffer.byteLength(digest);
	return {
		what: `a request for notes over its digest, with ${NOTES} notes and a plan of ${plan.length} characters`,
		value: `${(size / 1000).toFixed(1)} kB`,
		against: `${listed.length} notes are listed; all of them would be ${(bytesOfAll(notes) / 1000).toFixed(0)} kB`,
		goal: '<= 10 kB',
		met: size <= 10_000,
	};
}

function bytesOfAll(notes: readonly { text: string }[]): number {
	return notes.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
}

/** Notes about lines of real files. */
function notesOf(files: readonly string[]): string[] {
	const hashes = files.map(path => ({ path, lines: lineHashes(readFileSync(`${repository}/${path}`, 'utf8')) }));
	return Array.from({ length: NOTES }, (_, at) => {
		const { path, lines } = hashes[at % hashes.length] ?? { path: '', lines: [] };
		const from = 1 + ((at * 7) % Math.max(1, lines.length - 5));
		const anchor = anchorAt(path, lines, from, from + 4);
		const text = `Note ${at}: the lines of ${path} depend on the order in which messages come, seen in round ${at % 91}.`;
		return lineOf({
			id: noteId(at, 0, text),
			category: 'failures',
			text,
			task: 1 + (at % 80),
			by: 'an-agent',
			anchors: anchor ? [anchor] : [],
			seen: 1,
			seenIn: 1 + (at % 80),
			isPinned: false,
		});
	});
}

/** In milliseconds of processor time: the machine may do other work. */
async function timed(work: () => unknown): Promise<number> {
	const begun = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(begun);
	return (user + system) / 1000;
}
