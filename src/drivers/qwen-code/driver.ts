import { NO_COMPLETIONS } from '../../core/driver/completions.ts';
import { answersThere } from '../conversation.ts';
import type { Driver } from '../../core/driver/driver.ts';
import { deliveryAnswer } from './answers.ts';
import { deploymentPlan } from './deployment.ts';
import { readEvent } from './events.ts';
import { headless } from './headless.ts';
import { hookSwitch } from './hookSwitch.ts';
import { extractor } from './extractor.ts';
import { foreignVariables, launchPlan, ownTerminal } from './launch.ts';
import { mcp } from './mcp.ts';
import { launchModes } from './modes.ts';
import { transcript } from './transcript.ts';
import { floors, limits, OLDEST } from './versions.ts';
import { program } from './program.ts';
import { screen } from './screen.ts';
import { wakeAnswer } from '../bell.ts';
import { SILENT } from '../../core/driver/hooks.ts';
import { ESCAPE } from '../keys.ts';

export const qwenCode: Driver = {
	...program,
	displayName: 'Qwen Code',
	shortName: 'Qwen',
	namedBy: 'nancy',
	knownFrom: 'runs',
	versionArgs: ['--version'],
	oldestVersion: OLDEST,
	floors,
	limits,
	installHint: 'Install it with: npm install -g @qwen-code/qwen-code',
	launch: launchPlan,
	deployment: deploymentPlan,
	skillsFolder: '.agents/skills',
	earlierPlaces: [],
	moduleSettings: [],
	executableSettings: ['.qwen', '.agents/skills', '.mcp.json', '.env'],
	// Measured with 0.24.4. It moves keys of the first version alone, whose values are no objects.
	completions: { ...NO_COMPLETIONS, version: { file: '.qwen/settings.json', key: '$version' } },
	hookSwitch,
	hooks: {
		slots: { 'tool-start': 'denial', 'batch-end': 'boundary', prompt: 'turn', stop: 'end' },
		// The CLI cuts nothing. The limit keeps the text readable for a person.
		contextLimit: 8000,
		// The CLI ends the turn after the eighth in a row.
		stopCap: 7,
		read: readEvent,
		answer: deliveryAnswer,
		beginAnswer: () => SILENT,
		hearsWhenResumed: false,
		manual: 'none',
		reportsStart: 'at-launch',
		// By Nancy's own program in the terminal, where it is talked with.
		wake: { by: 'answer', answer: wakeAnswer },
		prepared: 'none',
	},
	eventWords: {
		tools: {
			run_shell_command: 'Bash',
			read_file: 'Read',
			write_file: 'Write',
			edit: 'Edit',
			glob: 'Glob',
			agent: 'Agent',
		},
		files: ['read_file', 'write_file', 'edit'],
		inside: [
			'run_shell_command',
			'list_directory',
			'read_file',
			'read_many_files',
			'write_file',
			'edit',
			'notebook_edit',
			'glob',
			'grep_search',
			'agent',
			'skill',
			'todo_write',
			'ask_user_question',
			'exit_plan_mode',
		],
		input: ['tool_input', 'prompt', 'tool_calls'],
		output: [
			'tool_response.returnDisplay',
			'tool_response.llmContent',
			'error',
			'error_details',
			'last_assistant_message',
			'message',
		],
		reportsEveryEnd: true,
	},
	probe: 'none',
	transcript,
	tells: { inTerminal: ['tokens'], headless: ['tokens'], atStart: [] },
	screen,
	showsState: true,
	interrupt: { keys: [ESCAPE] },
	launchModes,
	answersByChoice: answersThere(ownTerminal),
	ownTerminal,
	images: 'none',
	mcp,
	headless,
	extractor,
	foreignVariables,
};
