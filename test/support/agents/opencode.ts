import { opencodeHome } from '../opencodeHome.ts';
import { toolStep, type AgentUnderTest } from './agentUnderTest.ts';

export const opencodeUnderTest: AgentUnderTest = {
	id: 'opencode',
	driver: 'opencode',
	home: opencodeHome,
	env: {},
	inTests: [],
	asking: { permission: { bash: 'ask' } },
	waking: {},
	answering: 'none',
	question: /△ Permission required/,
	yes: '\r',
	no: '\u001b',
	trust: [],
	nancyTools: 'none',
	plugin: 'none',
	compact: { command: '/compact', done: /Compaction · / },
	complaint: /(?:hook|plugin)[^\n]*(?:error|fail)/i,
	subagent: script => toolStep('task', { description: 'Look around', prompt: script, subagent_type: 'general' }),
	usersFiles: {
		'.agents/skills/mine/SKILL.md': '---\nname: mine\ndescription: Mine\n---\n\nMine.\n',
	},
	// In every folder of this name that it finds: one that Nancy makes is one.
	leaves: {
		files: /^\.opencode(?:\/(?:\.gitignore|package\.json|package-lock\.json|bun\.lock|node_modules(?:\/.*)?))?$/,
		because: 'What opencode itself puts into .opencode, once the folder is there, stays.',
	},
};
