import { claudeHome } from '../claudeHome.ts';
import { toolStep, type AgentUnderTest } from './agentUnderTest.ts';

export const claudeCodeUnderTest: AgentUnderTest = {
	id: 'claude-code',
	driver: 'claude-code',
	home: claudeHome,
	// It bypasses permissions as root only in what says that it is a sandbox.
	env: { IS_SANDBOX: '1' },
	inTests: ['broken-off-tool', 'long-message'],
	asking: {},
	waking: {},
	answering: 'none',
	question: /Do you want to proceed\?/,
	yes: '1',
	no: '\u001b',
	trust: [],
	nancyTools: {
		// The CLI offers it only after a search.
		call: tool =>
			`${toolStep('ToolSearch', { query: `select:mcp__nancy__${tool}` })} ${toolStep(`mcp__nancy__${tool}`, {})}`,
		question: /Do you want to proceed\?/,
		yes: '1',
	},
	plugin: {
		install: folder => [
			['plugin', 'marketplace', 'add', folder],
			['plugin', 'install', 'nancy@nancy'],
		],
		settings: {},
		hooks: 'run',
		since: { version: [2, 1, 163], because: 'Nancy’s plugin needs version 2.1.163.' },
	},
	compact: { command: '/compact', done: /Compacted \(/ },
	complaint: /hook[^\n]*(?:error|failed|problem)|Settings Warning/i,
	subagent: script =>
		toolStep('Agent', {
			description: 'look',
			prompt: script,
			subagent_type: 'general-purpose',
			run_in_background: false,
		}),
	usersFiles: {
		'.claude/settings.local.json':
			'{\n  "permissions": { "allow": ["Bash(ls:*)"] },\n  "hooks": {"Stop": [{"hooks":[{"type":"command","command":"true"}]}]}\n}\n',
		'.claude/skills/mine/SKILL.md': '---\nname: mine\ndescription: Mine\n---\n\nMine.\n',
	},
	leaves: 'nothing',
};
