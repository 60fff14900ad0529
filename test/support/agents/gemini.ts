import { geminiHome } from '../geminiHome.ts';
import { toolStep, type AgentUnderTest } from './agentUnderTest.ts';

export const geminiUnderTest: AgentUnderTest = {
	id: 'gemini',
	driver: 'gemini-cli',
	home: geminiHome,
	env: {},
	inTests: [],
	asking: {},
	waking: {},
	wakesWithAnswers: true,
	answering: 'none',
	question: /Allow execution of \[Shell\]\?/,
	yes: '1',
	no: '\u001b',
	withAnswers: { question: /Your answer[^\n]*\s*$/, yes: 'y\r', no: 'n\r', ready: /^> ?$/m },
	trust: [],
	nancyTools: 'none',
	plugin: 'none',
	compact: { command: '/compress', done: /compressed from/ },
	complaint: /hook[^\n]*(?:error|fail|blocked)|Agent execution blocked/i,
	subagent: script => toolStep('invoke_agent', { agent_name: 'generalist', prompt: script }),
	usersFiles: {
		'.gemini/settings.json':
			'{\n\t"hooks": {"AfterAgent": [{"hooks": [{"type": "command", "command": "true"}]}]},\n\t"ui": {"hideTips": true}\n}\n',
		'.agents/skills/mine/SKILL.md': '---\nname: mine\ndescription: Mine\n---\n\nMine.\n',
	},
	leaves: 'nothing',
};
