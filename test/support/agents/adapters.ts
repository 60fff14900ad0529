import { claudeHome } from '../claudeHome.ts';
import { codexHome } from '../codexHome.ts';
import { pinnedAgent } from '../pinnedAgent.ts';
import type { AgentUnderTest } from './agentUnderTest.ts';
import { claudeCodeUnderTest } from './claudeCode.ts';
import { codexUnderTest } from './codex.ts';

/** The adapter of Claude Code, which runs the pinned CLI. */
export const claudeAdapterUnderTest: AgentUnderTest = {
	...claudeCodeUnderTest,
	id: 'claude-acp',
	home: ({ installed = pinnedAgent('claude-acp'), settings, ...options }) => ({
		...claudeHome({
			...options,
			// It takes no option that lets it run all.
			settings: { permissions: { defaultMode: 'default', allow: ['Bash', 'Edit', 'Write'] }, ...settings },
		}),
		agent: 'claude-acp',
		version: installed.version,
		command: installed.executable,
	}),
	asking: { permissions: { defaultMode: 'default' } },
};

/** The adapter of Codex, which runs the pinned CLI. */
export const codexAdapterUnderTest: AgentUnderTest = {
	...codexUnderTest,
	id: 'codex-acp',
	home: ({ installed = pinnedAgent('codex-acp'), ...options }) => ({
		...codexHome(options),
		agent: 'codex-acp',
		version: installed.version,
		command: installed.executable,
	}),
};
