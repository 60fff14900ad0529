import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bareEnvironment, type AgentHome, type AgentHomeOptions } from './agentHome.ts';
import { pinnedAgent } from './pinnedAgent.ts';

const pinned = pinnedAgent('claude-code');

/** The real Claude Code CLI that `npm test` and `npm start` install. */
export const claudeExecutable = pinned.executable;

/** Not a secret: the model double takes any key. */
const KEY = 'sk-ant-demo-key-of-the-model-double-0000000000000000';

/**
 * Claude Code. `settings` go to ~/.claude/settings.json; without `permissions` there, it asks before each tool that changes
 * something. Its own default, auto mode, does not work here: the check runs on Anthropic's servers.
 */
export function claudeHome({
	home,
	trusted,
	modelUrl,
	settings = {},
	installed = pinned,
}: AgentHomeOptions): AgentHome {
	const state = {
		hasCompletedOnboarding: true,
		lastOnboardingVersion: installed.version,
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
		agent: 'claude-code',
		version: installed.version,
		command: installed.executable,
		home,
		env: {
			...bareEnvironment(home),
			ANTHROPIC_BASE_URL: modelUrl,
			ANTHROPIC_API_KEY: KEY,
			CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
			CLAUDE_CODE_MAX_RETRIES: '2',
			DISABLE_AUTOUPDATER: '1',
		},
		headless: prompt => ['-p', prompt],
		unattended: ['--permission-mode', 'bypassPermissions'],
		interactive: [],
		ready: /❯/,
	};
}
