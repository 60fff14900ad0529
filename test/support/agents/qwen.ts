import { qwenHome } from '../qwenHome.ts';
import { toolStep, type AgentUnderTest } from './agentUnderTest.ts';

export const qwenUnderTest: AgentUnderTest = {
	id: 'qwen',
	driver: 'qwen-code',
	home: qwenHome,
	env: {},
	inTests: [],
	asking: { tools: { approvalMode: 'default' } },
	waking: {},
	wakesWithAnswers: true,
	answering: 'none',
	question: /Allow execution of/,
	yes: '1',
	no: '\u001b',
	withAnswers: { question: /Your answer[^\n]*\s*$/, yes: 'y\r', no: 'n\r', ready: /^> ?$/m },
	trust: [],
	nancyTools: 'none',
	plugin: 'none',
	compact: {
		untried:
			'It compacts nothing before our model, whose summary is no shorter by its count: not tried. Its event of a compaction has Nancy tell the notes again.',
	},
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
			'{\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]},\n\t"ui": {"hideTips": true}\n}\n',
		'.agents/skills/mine/SKILL.md': '---\nname: mine\ndescription: Mine\n---\n\nMine.\n',
	},
	leaves: {
		files: /^\.qwen(?:\/settings\.json)?$/,
		because:
			'Qwen Code writes .qwen/settings.json anew as it starts, with a version and in a form of its own: both stay. A file that has the version already is given back byte for byte.',
	},
};
