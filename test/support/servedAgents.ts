import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configFolder } from '../../src/base/folders.ts';
import { serverDriver } from '../../src/drivers/acp/server.ts';
import { conformanceLab, type ConformanceLab, type LabOptions, type StartedWorker } from '../conformance/lab.ts';
import { claudeAdapterUnderTest, codexAdapterUnderTest } from './agents/adapters.ts';
import type { AgentUnderTest } from './agents/agentUnderTest.ts';
import { copilotUnderTest } from './agents/copilot.ts';
import { geminiUnderTest } from './agents/gemini.ts';
import { opencodeUnderTest } from './agents/opencode.ts';
import { eventually } from './eventually.ts';
import { pinnedAgent } from './pinnedAgent.ts';

/** A real agent, as `nancy.agentServers` names it. */
export interface ServedAgent {
	readonly agent: AgentUnderTest;
	/** In its own settings: it asks before it runs a command. */
	readonly asking: Readonly<Record<string, unknown>>;
	/** It says an error of its model as its own words, and ends the turn as usual. */
	readonly saysErrors?: true;
	/** What it ran goes on when its turn is broken off. */
	readonly leavesTools?: true;
	/** The words of its command, and its variables. */
	server(asks: boolean): { readonly args: readonly string[]; readonly env?: Readonly<Record<string, string>> };
}

export const opencodeServed: ServedAgent = {
	agent: opencodeUnderTest,
	asking: { permission: { bash: 'ask', edit: 'ask' } },
	server: () => ({ args: ['acp'] }),
};

export const copilotServed: ServedAgent = {
	agent: copilotUnderTest,
	asking: {},
	saysErrors: true,
	// It asks before it runs anything that changes a file, unless it is told not to.
	server: asks => ({ args: asks ? ['--acp'] : ['--acp', '--allow-all-tools'] }),
};

export const geminiServed: ServedAgent = {
	agent: geminiUnderTest,
	asking: {},
	server: asks => ({ args: asks ? ['--acp'] : ['--acp', '--approval-mode', 'yolo'] }),
};

export const claudeAdapterServed: ServedAgent = {
	agent: claudeAdapterUnderTest,
	asking: claudeAdapterUnderTest.asking,
	server: () => ({ args: [], env: { CLAUDE_CODE_EXECUTABLE: pinnedAgent('claude-code').executable } }),
};

export const codexAdapterServed: ServedAgent = {
	agent: codexAdapterUnderTest,
	asking: {},
	saysErrors: true,
	leavesTools: true,
	server: asks => ({
		args: [],
		env: {
			CODEX_PATH: pinnedAgent('codex').executable,
			INITIAL_AGENT_MODE: asks ? 'read-only' : 'agent-full-access',
		},
	}),
};

/** As Nancy's own program shows it: the agent's screen, and what it asks there, are none of this. */
function inOwnTerminal(agent: AgentUnderTest, asking: Readonly<Record<string, unknown>>): AgentUnderTest {
	return {
		...agent,
		home: options => ({ ...agent.home(options), unattended: [], ready: /^> ?$/m }),
		asking,
		answering: 'none',
		trust: [],
	};
}

/** As the user has named it. Nancy's program in the terminal reads it again. */
function setServer({ env }: ConformanceLab, server: object): void {
	const settings = join(configFolder(env), 'settings.json');
	mkdirSync(dirname(settings), { recursive: true });
	writeFileSync(settings, JSON.stringify({ agentServers: { mine: server } }), { mode: 0o600 });
}

/** A lab with the agent `mine` of the user's settings. @param env more of its variables */
export async function servedLab(
	served: ServedAgent,
	{ asks = false, env = {} }: Pick<LabOptions, 'asks'> & { env?: Readonly<Record<string, string>> } = {},
): Promise<ConformanceLab> {
	const { agent, asking } = served;
	const installed = pinnedAgent(agent.id);
	const { args, env: own } = served.server(asks);
	const entry = { command: installed.executable, args: [...args], env: { ...own, ...env } };
	const driver = serverDriver('mine', entry);
	const lab = await conformanceLab(
		{ agent: inOwnTerminal(agent, asking), driver, installed },
		{ asks, answers: true },
	);
	setServer(lab, entry);
	return lab;
}

/** The guard's answers to an event reach nobody until they are let go; what they hand over has its receipts by then. */
export function holdAnswers({ runtime: { launcher } }: ConformanceLab, event: string): () => void {
	const [real, gate] = [`${launcher}-real`, `${launcher}-gate`];
	renameSync(launcher, real);
	writeFileSync(gate, '');
	// What reads the answers waits for all who could still write some.
	const script = `[ "$2" = ${event} ] && while [ -e "$0-gate" ]; do sleep 0.1; done &\nexec "$0-real" "$@"`;
	writeFileSync(launcher, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
	return () => rmSync(gate);
}

/** A window looks now and then, and the agent is woken. @param before how many requests there were */
export async function readAgain(lab: ConformanceLab, worker: StartedWorker, words: string, before = 0): Promise<void> {
	await eventually(
		'the message is in a request',
		async () => {
			await lab.view(worker.address);
			return lab
				.requests()
				.slice(before)
				.some(({ text }) => text.includes(words));
		},
		{ everyMs: 250 },
	);
}

/** Empty once it has ended. */
export function commandOf(pid: number): string {
	return spawnSync('ps', ['-o', 'args=', '-p', `${pid}`], { encoding: 'utf8' }).stdout;
}
