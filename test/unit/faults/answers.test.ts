import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { hold } from '../../../src/core/questions/hold.ts';
import { Questions } from '../../../src/core/questions/questions.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { bundledChild } from '../../support/bundledChild.ts';
import { killedAt } from '../../support/killedAt.ts';
import { killPoints, racesOr, strideOr } from '../../support/rounds.ts';
import { seedQuestion } from '../../support/seedQuestion.ts';
import { skippedUnless } from '../../support/skipped.ts';
import { tempFolder } from '../../support/tempFolder.ts';

describe('a desk that is killed before any file call of its answer', () => {
	it('leaves the whole answer or none, and the question is there for the next desk', async () => {
		await using folder = tempFolder();
		const [project, data] = [folder.file('project'), folder.file('data')];
		const workspace = new Workspace(project, data);
		await workspace.prepare();
		const seen = new Set<string>();
		for (const call of killPoints(strideOr(3))) {
			const question = await seedQuestion(workspace);
			const end = await killedAt(call, 'answerOnce', [project, data, question.id, question.digest]);
			const next = new Questions(workspace.own);
			const open = (await next.open()).find(each => each.question.id === question.id);
			if (!open) throw new Error(`the question is gone after call ${call}`);
			const { answer } = open;
			seen.add(`${end} ${answer?.effect ?? 'none'}`);
			const { id, digest } = question;
			const again = next.answer({
				version: 1,
				question: id,
				digest,
				effect: 'no',
				by: 'page',
				at: question.askedAt,
			});
			if (answer) await expect(again).rejects.toMatchObject({ code: 'wrong-state' });
			else expect(await again).toMatchObject({ effect: 'no', by: 'page' });
			expect((await next.readAnswer(id))?.effect).toBe(answer ? 'once' : 'no');
			if (end === 'finished') break;
		}
		expect([...seen].toSorted()).toEqual(expect.arrayContaining(['SIGKILL none', 'finished once']));
		for (const each of seen) expect(each).toMatch(/^(?:SIGKILL (?:none|once)|finished once)$/);
	});
});

/** A process of its own that does something with the question of each line. */
function warmProcess(program: 'answerAtOnce' | 'endAtOnce', ...args: string[]) {
	const child = spawn(process.execPath, [bundledChild(program), ...args], {
		stdio: ['pipe', 'pipe', 'inherit'],
	});
	const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
	return {
		write: (line: string) => void child.stdin.write(`${line}\n`),
		said: async () => String((await lines.next()).value),
		end: () => {
			child.stdin.end();
			return once(child, 'exit');
		},
	};
}

describe('two desks that answer one question in one moment', () => {
	it('have one answer: exactly one of them wins, and the other is told where it was answered', async () => {
		await using folder = tempFolder();
		const [project, data] = [folder.file('project'), folder.file('data')];
		const workspace = new Workspace(project, data);
		await workspace.prepare();
		const desk = new Questions(workspace.own);
		const sides = [
			{ by: 'vscode', effect: 'once', where: 'in a window' },
			{ by: 'page', effect: 'no', where: 'on a page' },
		];
		const desks = sides.map(({ by, effect }) => warmProcess('answerAtOnce', project, data, by, effect));
		try {
			for (const each of desks) expect(await each.said()).toBe('ready');
			for (let round = 0; round < racesOr(4); round++) {
				const { id, digest } = await seedQuestion(workspace);
				for (const each of round % 2 === 0 ? desks : desks.toReversed()) each.write(`${id} ${digest}`);
				const said = await Promise.all(desks.map(each => each.said()));
				const winner = said.indexOf('answered');
				expect([round, said.filter(text => text === 'answered')]).toEqual([round, ['answered']]);
				expect(said[1 - winner]).toContain(`this question was answered ${sides[winner]?.where}`);
				const { by, effect } = sides[winner] ?? {};
				expect(await desk.readAnswer(id)).toMatchObject({ by, effect });
			}
		} finally {
			await Promise.all(desks.map(each => each.end()));
		}
	});
});

describe('a desk that answers a question in the moment in which its terminal does', () => {
	it('counts for nothing beside the terminal, is told so, and makes a holder say no more than its own answer', async () => {
		await using folder = tempFolder();
		const [project, data] = [folder.file('project'), folder.file('data')];
		const workspace = new Workspace(project, data);
		await workspace.prepare();
		const questions = new Questions(workspace.own);
		const effects = ['once', 'no'] as const;
		const desks = effects.map(effect => warmProcess('answerAtOnce', project, data, 'page', effect));
		const terminal = warmProcess('endAtOnce', project, data);
		const seen = new Set<string>();
		/** How long a desk that goes first is ahead. A person's answer takes longer than the terminal's, so it follows what comes of that. */
		let leadMs = 0;
		try {
			for (const each of [...desks, terminal]) expect(await each.said()).toBe('ready');
			for (let round = 0; round < racesOr(50); round++) {
				const at = round % 2;
				const [effect, desk] = [effects[at]!, desks[at]!];
				const state = Math.floor(round / 2) % 2 === 0 ? 'yes-elsewhere' : 'no-elsewhere';
				const isDeskFirst = Math.floor(round / 4) % 2 === 0;
				const question = await seedQuestion(workspace);
				const { id, digest } = question;
				const held = hold(questions, question, { isAwaited: () => true, settle: () => Promise.resolve() });
				if (!isDeskFirst) terminal.write(`${id} ${state}`);
				desk.write(`${id} ${digest}`);
				if (isDeskFirst) {
					await sleep(leadMs);
					terminal.write(`${id} ${state}`);
				}
				const [said, isEnd, carried] = await Promise.all([desk.said(), terminal.said(), held]);
				const isTaken = said === 'answered';
				const { answer, outcome } = await questions.get(id);
				// The terminal has answered, and that is what the question ends with, whoever was first.
				const ends = [round, isEnd, outcome?.state];
				expect(ends).toEqual([round, 'true', answer ? 'late' : state]);
				// The person at the desk hears that at once, or sees that the answer was late.
				expect([round, isTaken ? answer?.effect : said]).toEqual([
					round,
					isTaken ? effect : expect.stringContaining('the question is over: the agent ended the wait'),
				]);
				// Never a Yes that neither gave: a holder carries this very answer, or nothing.
				expect([undefined, effect]).toContain(carried?.effect);
				seen.add(isTaken ? 'late' : 'told');
				if (isDeskFirst) leadMs = isTaken ? Math.floor(leadMs / 2) : leadMs * 2 + 1;
			}
		} finally {
			await Promise.all([...desks, terminal].map(each => each.end()));
		}
		expect([...seen].toSorted()).toEqual(['late', 'told']);
	});
});

/** Options of `unshare` with which this machine lets a program mount a disk of its own. */
const MOUNTS = [['-m'], ['-rm']].find(
	options => spawnSync('unshare', [...options, 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0,
);
const cannotMount = skippedUnless(MOUNTS, 'needs to mount a disk');

describe.skipIf(cannotMount)(`a desk whose disk is full${cannotMount}`, () => {
	it('answers with nothing that counts: no half answer is there, the holder waits on, and the next answer is taken whole', async () => {
		await using folder = tempFolder();
		const [project, data] = [folder.file('project'), folder.file('data')];
		await new Workspace(project, data).prepare();
		const script = 'mkdir -p "$3"; mount -t tmpfs -o size=256k,mode=700 none "$3"; exec "$0" "$1" "$2" "$3"';
		const words = ['sh', '-c', script, process.execPath, bundledChild('answerOnFullDisk'), project, data];
		const { stdout } = await promisify(execFile)('unshare', [...(MOUNTS ?? []), ...words]);
		const { id, ...found } = JSON.parse(stdout) as { id: string };
		expect(found).toEqual({
			seen: [
				{ free: 'nothing', said: 'ENOSPC', left: [], isOver: false },
				{ free: 'a part of it', said: 'ENOSPC', left: [], isOver: false },
				{ free: 'enough', said: 'answered', left: [`${id}.json`], isOver: false },
			],
			handed: 'whole',
			// An answer that nobody could note is not handed over.
			noted: 'ENOSPC',
			isHanded: false,
		});
		// Of that disk nothing is here.
		expect(existsSync(data) ? readdirSync(join(data)) : []).toEqual([]);
	});
});
