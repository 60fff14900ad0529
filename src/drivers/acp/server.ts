import { NO_COMPLETIONS } from '../../core/driver/completions.ts';
import type { Driver } from '../../core/driver/driver.ts';
import { SILENT } from '../../core/driver/hooks.ts';
import { serverId, type AgentServer } from '../../protocol/agentServer.ts';
import type { DriverId } from '../../protocol/names.ts';
import { wakeAnswer } from '../bell.ts';
import { floorsSince } from '../floors.ts';
import { ESCAPE } from '../keys.ts';
import { deliveryAnswer } from './answers.ts';
import { readEvent } from './events.ts';
import { headlessBy } from './headless.ts';
import { inOwnTerminal, launchOf } from './launch.ts';
import { transcript } from './transcript.ts';

const UNKNOWN = [0, 0, 0] as const;

/** What Nancy cannot do with an agent of which it knows nothing but the protocol. */
export const LACKS: Partial<Driver['floors']> = {
	steer: 'none',
	halt: 'none',
	batchEnd: 'none',
	status: 'none',
	skills: 'none',
	fork: 'none',
	worktree: 'none',
	tools: 'none',
};

/** The limits of a run without a terminal. */
const HEADLESS =
	'Only as a delegate, and only with the hooks of Nancy. It tells neither tokens nor cost. What it does without a question, its own settings say: only what it asks for is denied.';

/** The driver of a program that the user's settings name. What is the same in all of them is known without the settings. */
export function serverDriver(name: string, server?: Pick<AgentServer, 'command' | 'args'>): Driver {
	return { ...talkedWith(serverId(name), name, server), namedBy: 'user' };
}

/** An agent that Nancy talks with alone, in a terminal of Nancy's own. */
export function talkedWith(
	id: DriverId,
	name: string,
	server?: Pick<AgentServer, 'command' | 'args'>,
): Omit<Driver, 'namedBy'> {
	const launch = launchOf(server ?? { args: [] });
	return {
		id,
		displayName: name,
		shortName: name,
		knownFrom: 'runs',
		alsoCalled: [],
		command: server?.command ?? name,
		versionArgs: [],
		oldestVersion: UNKNOWN,
		floors: floorsSince(UNKNOWN, LACKS),
		limits: {
			hooks: 'Nancy’s own program tells what the agent says over the Agent Client Protocol: its hooks stay silent.',
			steer: 'Only an agent that can be steered reads a directive in the middle of its turn; any other reads it when the turn ends.',
			halt: 'Nothing denies a tool call that the agent does not ask about; Esc in its terminal breaks its turn off.',
			batchEnd: 'The Agent Client Protocol reports no end of a step.',
			permissions: 'Only what the agent itself asks: what it runs unasked, its own settings say.',
			answers:
				'A Yes stands in Nancy’s view Questions only where the agent says what it would do; else it is given in the terminal. Words with a No are a message.',
			status: 'The agent does not tell what its sessions are doing when asked; Nancy’s own program does.',
			skills: 'Nancy does not know where the agent reads skills, and writes none.',
			resume: 'Only where the agent says that it can load a session.',
			fork: 'Not all agents can copy a conversation over the Agent Client Protocol.',
			headless: HEADLESS,
			worktree:
				'An agent of “nancy.agentServers” works in the workspace’s own folder alone: nothing else was tried.',
			tools: 'Nancy does not know whether the agent asks before it calls a tool of an MCP server, and gives it none.',
		},
		installHint: '',
		launch,
		deployment: () => ({ edits: [], files: [], launchFiles: [], events: [], warnings: [] }),
		skillsFolder: undefined,
		earlierPlaces: [],
		moduleSettings: [],
		executableSettings: [],
		completions: NO_COMPLETIONS,
		hookSwitch: 'none',
		hooks: {
			slots: { prompt: 'turn', 'tool-end': 'boundary', 'tool-failed': 'boundary', stop: 'end' },
			// The text is a part of a prompt. The limit keeps it readable for a person.
			contextLimit: 8000,
			// Feedback is an ordinary prompt.
			stopCap: 7,
			read: call => readEvent(id, call),
			answer: deliveryAnswer,
			beginAnswer: () => SILENT,
			hearsWhenResumed: false,
			manual: 'none',
			reportsStart: 'at-launch',
			wake: { by: 'answer', answer: wakeAnswer },
			prepared: 'none',
		},
		// The kinds of tools that the protocol knows.
		eventWords: {
			tools: {
				execute: 'Bash',
				read: 'Read',
				edit: 'Edit',
				delete: 'Delete',
				move: 'Move',
				search: 'Grep',
				fetch: 'WebFetch',
			},
			files: ['read', 'edit', 'delete', 'move'],
			// Any of them may be a tool of an MCP server.
			inside: [],
			input: ['input', 'text'],
			output: ['said'],
			reportsEveryEnd: false,
		},
		probe: 'none',
		transcript,
		tells: { inTerminal: [], headless: [], atStart: [] },
		screen: 'none',
		showsState: false,
		interrupt: { keys: [ESCAPE] },
		launchModes: 'none',
		answersByChoice: inOwnTerminal(id),
		ownTerminal: 'none',
		images: 'none',
		mcp: { flags: 'none', waits: { heard: 50, unheard: 50 }, session: 'none' },
		headless: headlessBy(launch),
		extractor: 'none',
		marks: [],
		npmPackage: undefined,
		foreignVariables: [],
	};
}
