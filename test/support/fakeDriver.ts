import { NO_COMPLETIONS } from '../../src/core/driver/completions.ts';
import type { Driver } from '../../src/core/driver/driver.ts';
import { SILENT } from '../../src/core/driver/hooks.ts';
import { AgentEvent } from '../../src/protocol/traffic.ts';
import { DriverId } from '../../src/protocol/names.ts';

/** A driver of no real CLI: its hook payload is the event itself, its transcript lines are facts. */
export const fakeDriver: Driver = {
	id: DriverId.parse('fake'),
	displayName: 'Fake',
	shortName: 'Fake',
	namedBy: 'nancy',
	knownFrom: 'runs',
	alsoCalled: [],
	command: 'fake',
	versionArgs: ['--version'],
	oldestVersion: [0, 0, 0],
	floors: {
		hooks: [0, 0, 0],
		steer: [0, 0, 0],
		halt: [0, 0, 0],
		feedback: [0, 0, 0],
		batchEnd: [0, 0, 0],
		quietStop: [0, 0, 0],
		wake: [0, 0, 0],
		permissions: [0, 0, 0],
		answers: [0, 0, 0],
		status: [0, 0, 0],
		skills: 'none',
		resume: [0, 0, 0],
		fork: [0, 0, 0],
		headless: 'none',
		worktree: [0, 0, 0],
		tools: 'none',
	},
	limits: {},
	installHint: '',
	launch: () => ({ args: [], env: {}, sessionIsKnown: true }),
	deployment: () => ({ edits: [], files: [], launchFiles: [], events: [], warnings: [] }),
	skillsFolder: 'none',
	earlierPlaces: [],
	moduleSettings: [],
	executableSettings: [],
	completions: NO_COMPLETIONS,
	hookSwitch: 'none',
	hooks: {
		slots: { 'tool-start': 'boundary', 'batch-end': 'boundary', prompt: 'turn', stop: 'end' },
		contextLimit: 10_000,
		stopCap: 8,
		read: call => {
			const payload = typeof call.payload === 'object' && call.payload !== null ? call.payload : {};
			if ('silent' in payload) return 'silent';
			return AgentEvent.parse({ driver: 'fake', event: call.event, ...payload });
		},
		answer: () => SILENT,
		beginAnswer: () => SILENT,
		hearsWhenResumed: true,
		manual: 'none',
		reportsStart: 'at-launch',
		wake: 'none',
		prepared: 'none',
	},
	eventWords: {
		tools: { sh: 'Bash' },
		files: ['Write'],
		inside: ['sh', 'Write'],
		input: ['input'],
		output: ['output'],
		reportsEveryEnd: true,
	},
	screen: 'none',
	showsState: false,
	interrupt: 'none',
	probe: { args: [], timeoutMs: 1000, read: () => new Map() },
	transcript: {
		words: 'none',
		keepsDelivery: () => true,
		isNancys: false,
		fold: (known, line) => {
			if (typeof line !== 'object' || line === null) return known;
			if ('boom' in line) throw new Error('a fold that fails');
			if ('interrupted' in line) {
				const at = String(line.interrupted);
				return { ...known, interruptedAt: at, turnOverAt: at };
			}
			if ('text' in line) return { ...known, deliveredTexts: [...known.deliveredTexts, String(line.text)] };
			return { ...known, ...line };
		},
	},
	tells: { inTerminal: ['tokens', 'dollars'], headless: ['tokens'], atStart: [] },
	launchModes: 'none',
	answersByChoice: 'none',
	ownTerminal: 'none',
	images: 'none',
	mcp: { flags: 'none', waits: { heard: 50, unheard: 50 }, session: 'none' },
	headless: 'none',
	extractor: 'none',
	marks: ['FAKE_AGENT_TOOL'],
	npmPackage: 'fake-agent',
	foreignVariables: [],
};
