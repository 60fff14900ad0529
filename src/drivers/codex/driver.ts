import { NO_COMPLETIONS } from '../../core/driver/completions.ts';
import type { Driver } from '../../core/driver/driver.ts';
import { deliveryAnswer } from './answers.ts';
import { deploymentPlan } from './deployment.ts';
import { readEvent } from './events.ts';
import { extractor } from './extractor.ts';
import { headless } from './headless.ts';
import { answersByChoice, foreignVariables, launchPlan } from './launch.ts';
import { mcp } from './mcp.ts';
import { launchModes } from './modes.ts';
import { transcript } from './transcript.ts';
import { floors, limits, OLDEST } from './versions.ts';
import { queueCommand } from './wake.ts';
import { program } from './program.ts';
import { introduced } from '../answers.ts';
import { ESCAPE } from '../keys.ts';

export const codex: Driver = {
	...program,
	displayName: 'Codex',
	shortName: 'Codex',
	namedBy: 'nancy',
	knownFrom: 'runs',
	versionArgs: ['--version'],
	oldestVersion: OLDEST,
	floors,
	limits,
	installHint: 'Install it with: npm install -g @openai/codex',
	launch: launchPlan,
	deployment: deploymentPlan,
	skillsFolder: '.agents/skills',
	earlierPlaces: [],
	moduleSettings: [],
	executableSettings: ['.codex', '.agents/skills'],
	completions: NO_COMPLETIONS,
	hookSwitch: 'none',
	hooks: {
		slots: { 'tool-start': 'boundary', 'tool-end': 'boundary', prompt: 'turn', stop: 'end' },
		// The CLI cuts at 2,500 tokens, which it takes for 10,000 bytes, and points the model to a file with the whole text.
		contextLimit: 8000,
		// The CLI itself has no limit.
		stopCap: 7,
		read: readEvent,
		answer: deliveryAnswer,
		beginAnswer: introduced,
		hearsWhenResumed: false,
		manual: 'none',
		reportsStart: 'at-first-prompt',
		wake: { by: 'command', command: queueCommand },
		prepared: 'none',
	},
	eventWords: {
		tools: { spawn_agent: 'Agent' },
		files: [],
		inside: ['Bash', 'apply_patch', 'view_image', 'spawn_agent', 'update_plan', 'request_user_input'],
		input: ['tool_input', 'prompt'],
		output: ['tool_response', 'last_assistant_message'],
		// The CLI reports no end of commands that go to the background, and of calls that fail to run.
		reportsEveryEnd: false,
	},
	probe: 'none',
	transcript,
	tells: { inTerminal: ['tokens'], headless: ['tokens'], atStart: [] },
	screen: 'none',
	showsState: true,
	interrupt: { keys: [ESCAPE] },
	launchModes,
	answersByChoice,
	ownTerminal: 'none',
	images: { flag: '--image=', separator: ',' },
	mcp,
	headless,
	extractor,
	foreignVariables,
};
