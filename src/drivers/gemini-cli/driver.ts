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

export const geminiCli: Driver = {
	...program,
	displayName: 'Gemini CLI',
	shortName: 'Gemini',
	namedBy: 'nancy',
	knownFrom: 'runs',
	versionArgs: ['--version'],
	oldestVersion: OLDEST,
	floors,
	limits,
	installHint: 'Install it with: npm install -g @google/gemini-cli',
	launch: launchPlan,
	deployment: deploymentPlan,
	skillsFolder: '.agents/skills',
	earlierPlaces: [],
	moduleSettings: [],
	executableSettings: ['.gemini', '.agents/skills', '.env'],
	completions: NO_COMPLETIONS,
	hookSwitch,
	hooks: {
		slots: {
			'tool-start': 'denial',
			'tool-end': 'boundary',
			'tool-failed': 'boundary',
			prompt: 'turn',
			stop: 'end',
		},
		// The CLI cuts nothing. The limit keeps the text readable for a person.
		contextLimit: 8000,
		// The CLI itself has no limit.
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
			replace: 'Edit',
			glob: 'Glob',
			invoke_agent: 'Agent',
		},
		files: ['read_file', 'write_file', 'replace'],
		inside: [
			'run_shell_command',
			'list_background_processes',
			'read_background_output',
			'list_directory',
			'read_file',
			'read_many_files',
			'write_file',
			'replace',
			'glob',
			'grep_search',
			'invoke_agent',
			'activate_skill',
			'write_todos',
			'update_topic',
			'ask_user',
			'enter_plan_mode',
			'exit_plan_mode',
		],
		input: ['tool_input', 'details', 'prompt'],
		output: [
			'tool_response.error.message',
			'tool_response.returnDisplay',
			'tool_response.llmContent',
			'prompt_response',
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
