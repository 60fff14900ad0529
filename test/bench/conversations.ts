import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn, type IPty } from 'node-pty';
import { AcpConversation } from '../../src/conversations/acpConversation.ts';
import { AgentProcess } from '../../src/conversations/agentProcess.ts';
import { qwenCode } from '../../src/drivers/qwen-code/driver.ts';
import { conformanceLab } from '../conformance/lab.ts';
import { agentLab } from '../support/agentLab.ts';
import { qwenUnderTest } from '../support/agents/qwen.ts';
import { copilotHome } from '../support/copilotHome.ts';
import { eventually } from '../support/eventually.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';
import { megabytes, memoryOf } from './processMeters.ts';
import { median, milliseconds, type Row } from './table.ts';

const program = (name: string) => join(import.meta.dirname, '../../dist/hook', `${name}.js`);

const KEYS = 200;
const OUTPUT_MB = 50;
const ROUNDS = 5;
const STARTS = 15;

/** What Nancy's programs between an agent and its terminal cost. */
export async function benchConversations(): Promise<Row[]> {
	await using folder = tempFolder('nancy-bench-');
	return [...(await watchedTerminal(folder)), ...(await ownTerminal(folder)), await turns()];
}

interface Place {
	readonly cwd: string;
	readonly env: Record<string, string>;
}

/** A program in a pseudo-terminal. */
class Shown {
	private readonly pty: IPty;

	constructor([file = '', ...args]: readonly string[], { cwd, env }: Place) {
		const size = { cols: 110, rows: 34, encoding: null };
		this.pty = spawn(file, args, { ...size, cwd, env: { TERM: 'xterm-256color', ...env } });
	}

	get pid(): number {
		return this.pty.pid;
	}

	type(text: string): void {
		this.pty.write(text);
	}

	/** Until `is` has come true of what has come so far. */
	until(is: (text: string, bytes: number) => boolean): Promise<void> {
		let [text, bytes] = ['', 0];
		return new Promise(resolve => {
			const listener = this.pty.onData((data: string | Uint8Array) => {
				text = (text + Buffer.from(data).toString('latin1')).slice(-1000);
				bytes += data.length;
				if (!is(text, bytes)) return;
				listener.dispose();
				resolve();
			});
		});
	}

	/** Until a second is over in which nothing came. */
	async quiet(): Promise<void> {
		let last = performance.now();
		const listener = this.pty.onData(() => (last = performance.now()));
		while (performance.now() - last < 1000) await sleep(50);
		listener.dispose();
	}

	end(): void {
		process.kill(-this.pty.pid, 'SIGKILL');
	}
}

interface Both {
	bare: number[];
	watched: number[];
}

async function watchedTerminal(folder: TempFolder): Promise<Row[]> {
	const place = { cwd: folder.path, env: { PATH: '/usr/bin:/bin', HOME: folder.path } };
	const echoes = ['/bin/sh', '-c', 'stty raw -echo; echo ready; exec cat'];
	const [cat, output] = [of(), of()];
	for (let round = 0; round < ROUNDS; round++) {
		for (const how of ['bare', 'watched'] as const) {
			cat[how].push(await echo(starts[how](echoes, place), text => text.includes('ready')));
			output[how].push(await throughput(starts[how], place));
		}
	}
	const cli = await echoOfCopilot();
	const rate = (times: number[]) => (OUTPUT_MB * 1000) / median(times);
	return [
		ratioOf('a key until Copilot CLI shows it, in a watched terminal', cli, 1.3),
		ratioOf('a key until `cat` has echoed it, in a watched terminal', cat),
		{
			what: `${OUTPUT_MB} MB of output, through a watched terminal`,
			value: `${rate(output.watched).toFixed(0)} MB/s`,
			against: `bare ${rate(output.bare).toFixed(0)} MB/s`,
			ratio: rate(output.watched) / rate(output.bare),
			goal: '>= 0.7x',
			met: rate(output.watched) >= 0.7 * rate(output.bare),
		},
	];
}

type Start = (command: readonly string[], place: Place) => Shown;

const starts: Readonly<Record<keyof Both, Start>> = {
	bare: (command, place) => new Shown(command, place),
	watched: (command, place) => {
		const watched = [process.execPath, program('watched'), 'copilot-cli', '/bin/false', place.cwd];
		return new Shown([...watched, ...command], place);
	},
};

const of = (): Both => ({ bare: [], watched: [] });

function ratioOf(what: string, { bare, watched }: Both, most?: number): Row {
	const ratio = median(watched) / median(bare);
	return {
		what,
		value: milliseconds(median(watched)),
		against: `bare ${milliseconds(median(bare))}`,
		ratio,
		goal: most === undefined ? '' : `<= ${most}x`,
		...(most !== undefined && { met: ratio <= most }),
	};
}

/** A key until anything comes, in milliseconds. */
async function echo(shown: Shown, isReady: (text: string) => boolean): Promise<number> {
	await shown.until(isReady);
	await shown.quiet();
	const times: number[] = [];
	for (let n = 0; n < KEYS; n++) {
		const began = performance.now();
		const comes = shown.until(() => true);
		shown.type('x');
		await comes;
		times.push(performance.now() - began);
		await sleep(20);
	}
	shown.end();
	return median(times);
}

async function echoOfCopilot(): Promise<Both> {
	const times = of();
	await using lab = await agentLab(copilotHome);
	const command = [lab.agent.command, ...lab.agent.interactive];
	for (let round = 0; round < ROUNDS; round++) {
		for (const how of ['bare', 'watched'] as const) {
			const shown = starts[how](command, { cwd: lab.workspace.path, env: lab.env });
			times[how].push(await echo(shown, text => text.includes('commands')));
		}
	}
	return times;
}

/** In milliseconds. */
async function throughput(start: Start, place: Place): Promise<number> {
	const bytes = OUTPUT_MB * 1_000_000;
	const line = '0123456789'.repeat(8);
	const shown = start(['/bin/sh', '-c', `read go; yes ${line} | head -c ${bytes}; sleep 9`], place);
	await shown.quiet();
	const comes = shown.until((_, come) => come >= bytes);
	const began = performance.now();
	shown.type('\r');
	await comes;
	const took = performance.now() - began;
	shown.end();
	return took;
}

/** Speaks the protocol, and answers a prompt with 5 MB. */
const AGENT = `
	const say = message => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
	require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
		const { id, method } = JSON.parse(line);
		const result = { initialize: { protocolVersion: 1 }, 'session/new': { sessionId: 's1' } }[method] ?? { stopReason: 'end_turn' };
		const content = { type: 'text', text: ('x'.repeat(99) + '\\n').repeat(500) };
		for (let n = 0; n < 100 && method === 'session/prompt'; n++)
			say({ method: 'session/update', params: { sessionId: 's1', update: { sessionUpdate: 'agent_message_chunk', content } } });
		say({ id, result });
	});
`;

/** An agent that takes no time to begin: its shell starts no program. */
const AT_ONCE = `
	read -r line; echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}'
	read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s1"}}'
	read -r line
`;

/** The program that talks with an agent: its start, and its memory after a long turn. */
async function ownTerminal(folder: TempFolder): Promise<Row[]> {
	const file = folder.file('agent.cjs');
	writeFileSync(file, AGENT);
	const settings = folder.file('.config', 'nancy');
	mkdirSync(settings, { recursive: true });
	writeFileSync(folder.file('at-once.sh'), AT_ONCE);
	const agentServers = { mine: { command: process.execPath } };
	writeFileSync(join(settings, 'settings.json'), JSON.stringify({ agentServers }), { mode: 0o600 });
	// As the installed runtime has it.
	const compiled = { NODE_COMPILE_CACHE: folder.file('cache') };
	const place = { cwd: folder.path, env: { PATH: '/usr/bin:/bin', HOME: folder.path, ...compiled } };
	const node = process.execPath;
	const talk = [node, program('conversation'), 'acp-mine', '/bin/true', folder.path];
	const start = () => new Shown([...talk, '/bin/sh', '', '', folder.file('at-once.sh')], place);
	const first = start();
	await first.until(text => text.includes('> '));
	first.type('/exit\r');
	await first.quiet();
	const [begins, nothing, resident] = [[] as number[], [] as number[], [] as number[]];
	for (let round = 0; round < STARTS; round++) {
		const began = performance.now();
		spawnSync(node, ['-e', '0']);
		nothing.push(performance.now() - began);
		const from = performance.now();
		const shown = start();
		await shown.until(text => text.includes('> '));
		begins.push(performance.now() - from);
		shown.end();
	}
	for (let round = 0; round < ROUNDS; round++) {
		const shown = new Shown([...talk, node, '', '', file], place);
		await shown.until(text => text.includes('> '));
		shown.type('Go.\r');
		await shown.quiet();
		resident.push(memoryOf(shown.pid)?.resident ?? Number.NaN);
		shown.end();
	}
	const over = median(begins) - median(nothing);
	const memory = median(resident);
	return [
		{
			what: 'a terminal of Nancy’s own until its prompt, over `node -e 0`',
			value: milliseconds(over),
			against: `node ${milliseconds(median(nothing))}`,
			goal: '<= 150 ms',
			met: over <= 150,
		},
		{
			what: 'resident memory of its program, after a turn of 5 MB',
			value: megabytes(memory),
			against: '',
			goal: '<= 90 MB',
			met: memory <= 90 * 1024 * 1024,
		},
	];
}

const TURN = '[[sh:true]] [[sh:true]] [[sh:true]] [[text:Over]] ((lat:500))';

/**
 * Turns of four replies of a model that thinks for half a second: from the first request of one turn to that of the next, so that what Nancy does
 * at both ends is in it.
 */
async function turns(): Promise<Row> {
	const installed = pinnedAgent('qwen');
	const candidate = { agent: qwenUnderTest, driver: qwenCode, installed };
	await using lab = await conformanceLab(candidate, { answers: true });
	await using plain = await conformanceLab(candidate, { scope: 'none' });
	const gaps = (of: typeof lab) => {
		const at = (n: number) => of.requests().find(({ text }) => text.includes(`Turn ${n}.`))?.at ?? Number.NaN;
		return Array.from({ length: ROUNDS }, (_, n) => at(n + 1) - at(n));
	};
	const [first = '', ...further] = Array.from({ length: ROUNDS + 1 }, (_, n) => `Turn ${n}. ${TURN}`);

	const program = {
		executable: installed.executable,
		args: ['--acp', ...plain.agent.unattended],
		cwd: plain.workspace.path,
		env: plain.env,
		sessions: 'own' as const,
	};
	const beginning = { program, resume: undefined, pull: undefined, stop: new AbortController().signal };
	const conversation = await AcpConversation.begin(await AgentProcess.start(beginning), beginning, {
		update: () => undefined,
		ask: () => Promise.reject(new Error('it asks')),
		words: () => Promise.resolve(undefined),
		began: () => undefined,
		note: () => undefined,
	});
	for (const prompt of [first, ...further]) await conversation.prompt(prompt);
	await conversation.close();

	const worker = await lab.start({ prompt: first });
	for (const prompt of further) worker.terminal.type(`${prompt}\r`);
	await eventually('the last turn', () => lab.requests().some(({ text }) => text.includes(`Turn ${ROUNDS}.`)), {
		timeoutMs: 120_000,
	});
	await worker.idle();
	const [talked, without] = [median(gaps(lab)), median(gaps(plain))];
	return {
		what: 'a turn of Qwen Code with three tools, in a terminal of Nancy’s own',
		value: milliseconds(talked),
		against: `bare, over the protocol ${milliseconds(without)}`,
		ratio: talked / without,
		goal: '<= 1.05x',
		met: talked <= 1.05 * without,
	};
}
