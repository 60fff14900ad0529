import { codexHome } from '../codexHome.ts';
import { toolStep, type AgentUnderTest } from './agentUnderTest.ts';

export const codexUnderTest: AgentUnderTest = {
	id: 'codex',
	driver: 'codex',
	home: codexHome,
	env: {},
	inTests: ['halt', 'headless-steer', 'fork'],
	asking: {},
	waking: {},
	answering: 'none',
	question: /Would you like to run the following command\?/,
	yes: 'y',
	no: '\u001b',
	trust: [{ question: /Hooks need review/, keys: '2\r' }],
	nancyTools: {
		call: tool => toolStep(tool, {}),
		question: /Allow the nancy MCP server to run tool/,
		yes: '\r',
	},
	plugin: {
		install: folder => [
			['plugin', 'marketplace', 'add', folder],
			['plugin', 'add', 'nancy@nancy'],
		],
		// The tests' home switches plugins off.
		settings: { features: { daemon_auto_start: false, apps: false } },
		hooks: {
			because:
				'The plugin is written for Claude Code. Codex takes its skills, its server, and its commands as skills; its hooks stay silent there, also once you have trusted them. Set Up brings hooks of its own.',
		},
	},
	compact: { command: '/compact', done: /Context compacted/ },
	complaint: /hook[^\n]*(?:error|fail|timed out)/i,
	// The subagent runs beside the agent, which has something to do meanwhile.
	subagent: script => `${toolStep('spawn_agent', { message: script })} [[sh:sleep 5]]`,
	usersFiles: {
		'.codex/hooks.json': '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}\n',
		'.agents/skills/mine/SKILL.md': '---\nname: mine\ndescription: Mine\n---\n\nMine.\n',
	},
	leaves: 'nothing',
};
