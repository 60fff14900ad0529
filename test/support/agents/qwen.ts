import { qwenHome } from '../qwenHome.ts';
import { toolStep, type AgentUnderTest } from './agentUnderTest.ts';

export const qwenUnderTest: AgentUnderTest = {
	id: 'qwen',
	driver: 'qwen-code',
	home: qwenHome,
	env: {},
	inTests: ['headless-steer'],
	asking: { tools: { approvalMode: 'default' } },
	waking: {},
	question: /Allow execution of/,
	yes: '1',
	no: '\u001b',
	interrupt: ['\u001b'],
	trust: [],
	complaint: /hook[^\n]*(?:error|fail|blocked)/i,
	subagent: script =>
		toolStep('agent', {
			description: 'look',
			prompt: script,
			subagent_type: 'general-purpose',
			run_in_background: false,
		}),
	usersFiles: {
		'.qwen/settings.json':
			'{\n\t"$version": 4,\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]},\n\t"ui": {"hideTips": true}\n}\n',
		'.agents/skills/mine/SKILL.md': '---\nname: mine\ndescription: Mine\n---\n\nMine.\n',
	},
	leaves: 'nothing',
};
