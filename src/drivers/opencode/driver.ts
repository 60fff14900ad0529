import type { Driver } from '../../core/driver/driver.ts';
import { deliveryAnswer } from './answers.ts';
import { deploymentPlan } from './deployment.ts';
import { readEvent } from './events.ts';
import { headless } from './headless.ts';
import { extractor } from './extractor.ts';
import { foreignVariables, launchPlan } from './launch.ts';
import { floors, limits, OLDEST } from './versions.ts';
import { wakeAnswer } from '../bell.ts';
import { beginAnswer } from './wake.ts';
import { mcp } from './mcp.ts';
import { program } from './program.ts';
import { ESCAPE } from '../keys.ts';

export const opencode: Driver = {
	...program,
	displayName: 'opencode',
	shortName: 'opencode',
	namedBy: 'nancy',
	knownFrom: 'runs',
	versionArgs: ['--version'],
	oldestVersion: OLDEST,
	floors,
	limits,
	installHint: 'Install it with: npm install -g opencode-ai',
	launch: launchPlan,
	deployment: deploymentPlan,
	// The CLI reads `.claude/skills` too. A skill in both folders is offered once, by its name.
	skillsFolder: '.agents/skills',
	earlierPlaces: [],
	executableSettings: ['.opencode', 'opencode.json', 'opencode.jsonc', 'tui.json', 'tui.jsonc'],
	moduleSettings: ['tsconfig.json', 'jsconfig.json', '.npmrc'],
	// Measured with 1.18.33.
	completions: {
		version: undefined,
		schema: {
			files: ['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'],
			address: 'https://opencode.ai/config.json',
		},
		packages: [
			'.opencode/bun.lock',
			'.opencode/node_modules',
			'.opencode/package.json',
			'.opencode/package-lock.json',
		],
	},
	hookSwitch: 'none',
	hooks: {
		slots: { 'tool-start': 'denial', 'tool-end': 'boundary', prompt: 'turn', stop: 'end' },
		// The CLI itself has no limit: it cuts a tool's result before the plugin sees it.
		contextLimit: 30_000,
		// No limit here either: feedback is an ordinary prompt.
		stopCap: 7,
		read: readEvent,
		answer: deliveryAnswer,
		beginAnswer,
		hearsWhenResumed: true,
		manual: 'none',
		reportsStart: 'at-first-prompt',
		wake: { by: 'answer', answer: wakeAnswer },
		prepared: 'none',
	},
	eventWords: {
		tools: {
			bash: 'Bash',
			read: 'Read',
			write: 'Write',
			edit: 'Edit',
			grep: 'Grep',
			glob: 'Glob',
			task: 'Agent',
			webfetch: 'WebFetch',
			question: 'AskUserQuestion',
		},
		files: ['read', 'write', 'edit'],
		inside: [
			'bash',
			'read',
			'write',
			'edit',
			'glob',
			'grep',
			'list',
			'lsp',
			'task',
			'skill',
			'todowrite',
			'question',
		],
		input: ['args'],
		output: ['error', 'text'],
		reportsEveryEnd: true,
	},
	probe: 'none',
	// It keeps its sessions in a database.
	transcript: 'none',
	tells: { inTerminal: [], headless: ['tokens', 'dollars'], atStart: [] },
	screen: 'none',
	showsState: true,
	interrupt: { keys: [ESCAPE, ESCAPE] },
	// Its agent “plan” runs commands unasked.
	launchModes: 'none',
	answersByChoice: 'none',
	ownTerminal: 'none',
	images: 'none',
	mcp,
	headless,
	extractor,
	foreignVariables,
};
