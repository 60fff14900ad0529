import { NO_COMPLETIONS } from '../../core/driver/completions.ts';
import type { Driver } from '../../core/driver/driver.ts';
import { beginAnswer, deliveryAnswer } from './answers.ts';
import { deploymentPlan } from './deployment.ts';
import { readEvent } from './events.ts';
import { extractor } from './extractor.ts';
import { headless } from './headless.ts';
import { hookSwitch } from './hookSwitch.ts';
import { foreignVariables, launchPlan, ownTerminal } from './launch.ts';
import { mcp } from './mcp.ts';
import { launchModes } from './modes.ts';
import { probe } from './probe.ts';
import { transcript } from './transcript.ts';
import { floors, OLDEST } from './versions.ts';
import { wakeAnswer } from './wake.ts';
import { program } from './program.ts';
import { ESCAPE } from '../keys.ts';

export const claudeCode: Driver = {
	...program,
	displayName: 'Claude Code',
	shortName: 'Claude',
	namedBy: 'nancy',
	knownFrom: 'runs',
	versionArgs: ['--version'],
	oldestVersion: OLDEST,
	floors,
	limits: {},
	installHint: 'Install it with: npm install -g @anthropic-ai/claude-code',
	launch: launchPlan,
	deployment: deploymentPlan,
	skillsFolder: '.claude/skills',
	earlierPlaces: [],
	moduleSettings: [],
	executableSettings: [
		'.claude/settings.json',
		'.claude/settings.local.json',
		'.claude/agents',
		'.claude/commands',
		'.claude/hooks',
		'.claude/skills',
		'.mcp.json',
	],
	completions: NO_COMPLETIONS,
	hookSwitch,
	hooks: {
		slots: {
			// Only a denial. The CLI records other context after the tool has ended, and loses it if the tool is broken off.
			'tool-start': 'denial',
			'batch-end': 'boundary',
			prompt: 'turn',
			stop: 'end',
		},
		// The CLI's limit for one context. The CLI replaces a longer one by a path and 2 KB.
		contextLimit: 10_000,
		// The CLI overrides the ninth in a row, with a warning that a person sees.
		stopCap: 7,
		read: readEvent,
		answer: deliveryAnswer,
		beginAnswer,
		hearsWhenResumed: true,
		manual: 'CLAUDE.md',
		reportsStart: 'at-launch',
		wake: { by: 'answer', answer: wakeAnswer },
		prepared: {
			event: 'PostToolBatch',
			kind: 'batch-end',
			waitsAt: { event: 'PreToolUse', kind: 'tool-start' },
			// The CLI writes compact JSON in this order. In a text, each quotation mark would have a backslash before it.
			payload: (session, transcript) => ({
				begins: `{"session_id":"${session}","transcript_path":${JSON.stringify(transcript)},`,
				holds: '"hook_event_name":"PostToolBatch"',
				lacks: '"agent_id"',
			}),
		},
	},
	eventWords: {
		tools: {},
		files: ['Read', 'Write', 'Edit', 'MultiEdit', 'NotebookEdit'],
		inside: [
			'Bash',
			'BashOutput',
			'KillShell',
			'Read',
			'Write',
			'Edit',
			'MultiEdit',
			'NotebookEdit',
			'Glob',
			'Grep',
			'LS',
			'Agent',
			'Skill',
			'TodoWrite',
			'TaskCreate',
			'TaskGet',
			'TaskList',
			'TaskUpdate',
			'AskUserQuestion',
			'EnterPlanMode',
			'ExitPlanMode',
			'ReportFindings',
		],
		input: ['tool_input', 'prompt', 'tool_calls'],
		output: ['tool_response', 'error', 'last_assistant_message', 'message', 'reason'],
		reportsEveryEnd: true,
	},
	probe,
	transcript,
	tells: { inTerminal: ['tokens'], headless: ['tokens'], atStart: ['dollars'] },
	screen: 'none',
	showsState: true,
	interrupt: { keys: [ESCAPE] },
	launchModes,
	answersByChoice: 'none',
	ownTerminal,
	images: 'none',
	mcp,
	headless,
	extractor,
	foreignVariables,
};
