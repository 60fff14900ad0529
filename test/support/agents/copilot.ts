import { copilotHome } from '../copilotHome.ts';
import { toolStep, type AgentUnderTest } from './agentUnderTest.ts';

export const copilotUnderTest: AgentUnderTest = {
	id: 'copilot',
	driver: 'copilot-cli',
	home: copilotHome,
	env: {},
	inTests: ['directive'],
	asking: {},
	waking: { experimental: true },
	answering: { settings: { experimental: true }, question: /wants elevated permissions/, keys: '1' },
	question: /Do you want to run this command\?/,
	yes: '1',
	no: '\u001b',
	trust: [],
	nancyTools: {
		call: tool => toolStep(`nancy-${tool}`, {}),
		question: /Do you want to use this tool\?/,
		yes: '1',
	},
	plugin: {
		install: folder => [
			['plugin', 'marketplace', 'add', folder],
			['plugin', 'install', 'nancy@nancy'],
		],
		settings: {},
		hooks: {
			because:
				'The plugin is written for Claude Code. Copilot CLI takes its skills, commands and server; its hooks stay silent there, because Copilot CLI reads other answers than it writes. Set Up brings hooks of its own.',
		},
	},
	compact: { command: '/compact', done: /Compaction completed/ },
	complaint: /hook[^\n]*(?:error|failed|denied)/i,
	subagent: script =>
		toolStep('task', {
			name: 'look',
			description: 'Look around',
			prompt: script,
			agent_type: 'general-purpose',
			mode: 'sync',
		}),
	usersFiles: {
		'.github/hooks/mine.json':
			'{ "version": 1, "hooks": { "agentStop": [{ "type": "command", "bash": "true" }] } }\n',
		'.agents/skills/mine/SKILL.md': '---\nname: mine\ndescription: Mine\n---\n\nMine.\n',
	},
	leaves: 'nothing',
};
