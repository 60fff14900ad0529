import { NO_COMPLETIONS } from '../../core/driver/completions.ts';
import type { Driver } from '../../core/driver/driver.ts';
import { SILENT } from '../../core/driver/hooks.ts';
import { CTRL_C } from '../keys.ts';
import { deliveryAnswer } from './answers.ts';
import { deploymentPlan } from './deployment.ts';
import { readEvent } from './events.ts';
import { headless } from './headless.ts';
import { SESSION } from './hooks.ts';
import { launchPlan } from './launch.ts';
import { program } from './program.ts';
import { floors, limits, OLDEST } from './versions.ts';

/** Amazon Q CLI, from the source of its last version: see docs/agents/amazon-q.md. */
export const amazonQ: Driver = {
	...program,
	displayName: 'Amazon Q',
	shortName: 'Q',
	namedBy: 'nancy',
	knownFrom: 'source',
	versionArgs: ['--version'],
	oldestVersion: OLDEST,
	floors,
	limits,
	installHint: 'Its makers go on with Kiro; https://github.com/aws/amazon-q-developer-cli says how to install it.',
	launch: launchPlan,
	deployment: deploymentPlan,
	skillsFolder: undefined,
	earlierPlaces: [],
	moduleSettings: [],
	executableSettings: ['.amazonq'],
	completions: NO_COMPLETIONS,
	hookSwitch: 'none',
	hooks: {
		// No answer at its end reaches the model. Words at a call only deny it, and a directive denies nothing.
		slots: { 'tool-start': 'denial', prompt: 'turn' },
		// The limit keeps the text readable for a person.
		contextLimit: 8000,
		// Nothing holds it back at its end.
		stopCap: 7,
		read: readEvent,
		answer: deliveryAnswer,
		beginAnswer: () => SILENT,
		hearsWhenResumed: false,
		manual: 'none',
		reportsStart: 'at-first-prompt',
		wake: 'none',
		prepared: 'none',
	},
	eventWords: {
		tools: { execute_bash: 'Bash', fs_read: 'Read', fs_write: 'Write' },
		files: ['fs_read', 'fs_write'],
		inside: ['execute_bash', 'fs_read', 'fs_write', 'thinking', 'todo_list'],
		input: ['tool_input', 'prompt'],
		output: ['tool_response.result'],
		reportsEveryEnd: false,
	},
	probe: 'none',
	transcript: 'none',
	tells: { inTerminal: [], headless: [], atStart: [] },
	screen: 'none',
	interrupt: { keys: [CTRL_C] },
	launchModes: 'none',
	answersByChoice: 'none',
	ownTerminal: 'none',
	showsState: true,
	images: 'none',
	mcp: { flags: 'none', waits: { heard: 50, unheard: 50 }, session: 'none' },
	headless,
	extractor: 'none',
	foreignVariables: [SESSION],
};
