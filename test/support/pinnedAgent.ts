import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The agent CLIs that tests and the demo run, each by its npm package and the program in it. */
const PACKAGES = {
	'claude-code': { name: '@anthropic-ai/claude-code', command: 'claude' },
	copilot: { name: '@github/copilot', command: 'copilot' },
	codex: { name: '@openai/codex', command: 'codex' },
	gemini: { name: '@google/gemini-cli', command: 'gemini' },
	opencode: { name: 'opencode-ai', command: 'opencode' },
	qwen: { name: '@qwen-code/qwen-code', command: 'qwen' },
	'claude-acp': { name: '@agentclientprotocol/claude-agent-acp', command: 'claude-agent-acp' },
	'codex-acp': { name: '@agentclientprotocol/codex-acp', command: 'codex-acp' },
} as const;

export type AgentId = keyof typeof PACKAGES;

/** All of them, in the order in which Nancy offers them. */
export const agentIds = Object.keys(PACKAGES) as readonly AgentId[];

/** A CLI below .agents/. */
export interface LocalAgent {
	version: string;
	/** Where it is installed: .agents/<id>-<version>. */
	folder: string;
	executable: string;
}

/** A CLI at the version pinned in scripts/agents/<id>/package.json. */
export interface PinnedAgent extends LocalAgent {
	/** Holds package.json and package-lock.json. */
	manifest: string;
}

const Manifest = z.looseObject({ dependencies: z.record(z.string(), z.string()) });

export function pinnedAgent(id: AgentId): PinnedAgent {
	const { name } = PACKAGES[id];
	const manifest = join(root, 'scripts', 'agents', id);
	const { dependencies } = Manifest.parse(JSON.parse(readFileSync(join(manifest, 'package.json'), 'utf8')));
	const version = dependencies[name];
	if (version === undefined) throw new Error(`${manifest} does not pin ${name}`);
	return { ...localAgent(id, version), manifest };
}

/** A CLI at any version, whether it is installed yet or not. */
export function localAgent(id: AgentId, version: string): LocalAgent {
	const folder = join(root, '.agents', `${id}-${version}`);
	return { version, folder, executable: join(folder, 'node_modules', '.bin', PACKAGES[id].command) };
}

/** Programs that speak for another CLI. They run the pinned one, and the copy that they would bring is not installed. */
export const adapterIds: readonly AgentId[] = ['claude-acp', 'codex-acp'];

/** The npm package of a CLI. */
export function packageOf(id: AgentId): string {
	return PACKAGES[id].name;
}
