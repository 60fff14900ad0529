import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pinnedAgent } from './pinnedAgent.ts';

const { version: VERSION, executable } = pinnedAgent('claude-code');

/** The real Claude Code CLI that `npm test` and `npm start` install. */
export const claudeExecutable = executable;

/** Not a secret: the model double takes any key. */
const KEY = 'sk-ant-demo-key-of-the-model-double-0000000000000000';

export interface ClaudeHomeOptions {
	/** An empty folder that becomes HOME. */
	home: string;
	/** Folders that the CLI shall not ask about. */
	trusted: readonly string[];
	modelUrl: string;
	/** Written to ~/.claude/settings.json. Without `permissions`, the CLI asks before each tool that changes something. */
	settings?: Record<string, unknown>;
}

/**
 * Makes a HOME in which the CLI starts straight to its prompt and talks to the model double, and returns the whole
 * environment for it. The CLI's own default, auto mode, does not work here: its check runs on Anthropic's servers. Nothing of the real user's reaches it but PATH and the locale.
 */
export function claudeHome({ home, trusted, modelUrl, settings = {} }: ClaudeHomeOptions): Record<string, string> {
	const state = {
		hasCompletedOnboarding: true,
		lastOnboardingVersion: VERSION,
		theme: 'dark',
		numStartups: 3,
		bypassPermissionsModeAccepted: true,
		// The question whether auto mode shall be the default opens after a turn, and takes the keys.
		hasSeenAutoDefaultNudge: true,
		customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
		projects: Object.fromEntries(
			trusted.map(folder => [
				realpathSync(folder),
				{
					hasTrustDialogAccepted: true,
					hasCompletedProjectOnboarding: true,
					projectOnboardingSeenCount: 1,
					allowedTools: [],
				},
			]),
		),
	};
	mkdirSync(join(home, '.claude'), { recursive: true });
	writeFileSync(join(home, '.claude.json'), JSON.stringify(state));
	writeFileSync(
		join(home, '.claude', 'settings.json'),
		JSON.stringify({ permissions: { defaultMode: 'default' }, ...settings }),
	);
	return {
		PATH: process.env['PATH'] ?? '/usr/bin:/bin',
		LANG: process.env['LANG'] ?? 'C.UTF-8',
		SHELL: '/bin/bash',
		HOME: home,
		ANTHROPIC_BASE_URL: modelUrl,
		ANTHROPIC_API_KEY: KEY,
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
		CLAUDE_CODE_MAX_RETRIES: '2',
		DISABLE_AUTOUPDATER: '1',
		NO_PROXY: '127.0.0.1,localhost',
	};
}
