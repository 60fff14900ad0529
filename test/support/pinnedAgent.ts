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
} as const;

export type AgentId = keyof typeof PACKAGES;

/** A CLI at the version pinned in scripts/agents/<id>/package.json. */
export interface PinnedAgent {
	version: string;
	/** Holds package.json and package-lock.json. */
	manifest: string;
	/** Where it is installed: .agents/<id>-<version>. */
	folder: string;
	executable: string;
}

const Manifest = z.looseObject({ dependencies: z.record(z.string(), z.string()) });

export function pinnedAgent(id: AgentId): PinnedAgent {
	const { name, command } = PACKAGES[id];
	const manifest = join(root, 'scripts', 'agents', id);
	const { dependencies } = Manifest.parse(JSON.parse(readFileSync(join(manifest, 'package.json'), 'utf8')));
	const version = dependencies[name];
	if (version === undefined) throw new Error(`${manifest} does not pin ${name}`);
	const folder = join(root, '.agents', `${id}-${version}`);
	return { version, manifest, folder, executable: join(folder, 'node_modules', '.bin', command) };
}
