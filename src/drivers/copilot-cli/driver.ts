import { NO_COMPLETIONS } from '../../core/driver/completions.ts';
import type { Driver } from '../../core/driver/driver.ts';
import { deliveryAnswer } from './answers.ts';
import { deploymentPlan } from './deployment.ts';
import { readEvent } from './events.ts';
import { extractor } from './extractor.ts';
import { headless } from './headless.ts';
import { hookSwitch } from './hookSwitch.ts';
import { answersByChoice, foreignVariables, launchPlan } from './launch.ts';
import { mcp } from './mcp.ts';
import { launchModes } from './modes.ts';
import { transcript } from './transcript.ts';
import { floors, limits, OLDEST } from './versions.ts';
import { wakeAnswer } from '../bell.ts';
import { beginAnswer } from './wake.ts';
import { program } from './program.ts';
import { screen } from './screen.ts';
import { ESCAPE } from '../keys.ts';

export const copilotCli: Driver = {
	...program,
	displayName: 'GitHub Copilot CLI',
	shortName: 'Copilot',
	namedBy: 'nancy',
	knownFrom: 'runs',
	versionArgs: ['--version'],
	oldestVersion: OLDEST,
	floors,
	limits,
	installHint: 'Install it with: npm install -g @github/copilot',
	launch: launchPlan,
	deployment: deploymentPlan,
	skillsFolder: '.agents/skills',
	earlierPlaces: [],
	moduleSettings: [],
	executableSettings: [
		'.github/agents',
		'.github/copilot',
		'.github/extensions',
		'.github/hooks',
		'.github/lsp.json',
		'.github/mcp.json',
		'.github/skills',
		'.claude/agents',
		'.claude/commands',
		'.claude/settings.json',
		'.claude/settings.local.json',
		'.claude/skills',
		'.agents/skills',
		'.copilot',
		'.mcp.json',
		'.vscode/mcp.json',
	],
	completions: NO_COMPLETIONS,
	hookSwitch,
	hooks: {
		slots: {
			'tool-start': 'halt',
			'permission-check': 'denial',
			// Not before the tool: the CLI loses such text if the user breaks the tool off.
			'tool-end': 'words',
			'tool-failed': 'words',
			prompt: 'turn',
			stop: 'end',
		},
		// The CLI silently cuts text after a tool at 10,000 characters.
		contextLimit: 9000,
		// The CLI drops the ninth in a row, and the message with it.
		stopCap: 7,
		read: readEvent,
		answer: deliveryAnswer,
		beginAnswer,
		// The CLI watches the doorbell only if the user has switched on experimental features.
		hearsWhenResumed: false,
		manual: 'CLAUDE.md',
		reportsStart: 'at-first-prompt',
		wake: { by: 'answer', answer: wakeAnswer },
		prepared: 'none',
	},
	eventWords: {
		tools: {
			bash: 'Bash',
			view: 'Read',
			create: 'Write',
			edit: 'Edit',
			grep: 'Grep',
			glob: 'Glob',
			task: 'Agent',
			ask_user: 'AskUserQuestion',
		},
		files: ['view', 'create', 'edit'],
		inside: [
			'bash',
			'read_bash',
			'write_bash',
			'stop_bash',
			'list_bash',
			'view',
			'create',
			'edit',
			'apply_patch',
			'grep',
			'glob',
			'task',
			'skill',
			'sql',
			'ask_user',
			'report_intent',
		],
		input: ['toolArgs', 'toolInput', 'prompt', 'initialPrompt'],
		output: ['toolResult.textResultForLlm', 'error', 'message'],
		reportsEveryEnd: true,
	},
	probe: 'none',
	transcript,
	tells: { inTerminal: ['tokens'], headless: ['tokens'], atStart: [] },
	screen,
	showsState: true,
	interrupt: { keys: [ESCAPE, ESCAPE] },
	launchModes,
	answersByChoice,
	ownTerminal: 'none',
	images: 'none',
	mcp,
	headless,
	extractor,
	foreignVariables,
};
