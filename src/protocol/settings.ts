import * as z from 'zod/mini';
import { KubeContext, KubeNamespace, SshHost } from './executorId.ts';
import { IsolationChoice } from './isolation.ts';
import { ForwardEnv, PodFields } from './podFields.ts';
import { QueueCommands } from './queueCommands.ts';
import { SbatchArguments } from './sbatch.ts';

/** A command for `sh`. An empty one means none. */
const Command = z.string().check(z.trim());

/** The settings for the delegates of one folder, or of all. */
export const DelegateSettings = z.object({
	/** How many run at once. 0 leaves it to Nancy, whatever is set elsewhere. */
	max: z.optional(z.int().check(z.nonnegative())),
	timeoutMinutes: z.optional(z.number().check(z.positive())),
	idleMinutes: z.optional(z.number().check(z.positive())),
	worktreeSetUp: z.optional(Command),
	worktreeTearDown: z.optional(Command),
	host: z.optional(z.enum(['background', 'tmux'])),
	/** Whether Nancy's headless runs write the files that claude-swarm looks for. */
	swarmWorker: z.optional(z.boolean()),
});
export type DelegateSettings = z.infer<typeof DelegateSettings>;

/** What VS Code may say of one folder: no commands, and no limits of agents. An agent or a repository can write such settings. */
export const FolderSettings = z.pick(DelegateSettings, { swarmWorker: true });
export type FolderSettings = z.infer<typeof FolderSettings>;

const ofEach = {
	/** How many delegates of a folder run there at once. Without it they count among those here. */
	max: z.optional(z.int().check(z.positive())),
	/** Whether agents may have delegates run there, which can then do there whatever the user can. */
	fromAgents: z.optional(z.boolean()),
	/** Whether delegates run in a sandbox there. As set for all machines where absent. */
	isolate: z.optional(IsolationChoice),
};

/** How many wait in its queue before they begin. */
const maxQueued = z.optional(z.int().check(z.positive()));

const ofQueue = {
	/** Its login host, as `ssh:<host>`; this machine if absent. */
	via: z.optional(z.templateLiteral(['ssh:', SshHost])),
	maxQueued,
	...ofEach,
};

/** Another machine for delegates. Fields that a newer Nancy added stay when the file is written. */
export const ExecutorSettings = z.discriminatedUnion('type', [
	z.looseObject({ type: z.literal('ssh'), host: SshHost, forwardEnv: ForwardEnv, ...ofEach }),
	z.looseObject({
		type: z.literal('slurm'),
		sbatch: z.optional(SbatchArguments),
		forwardEnv: ForwardEnv,
		...ofQueue,
	}),
	z.looseObject({ type: z.literal('command'), ...QueueCommands.shape, ...ofQueue }),
	z.looseObject({
		type: z.literal('k8s'),
		context: KubeContext,
		namespace: z.optional(KubeNamespace),
		...PodFields.shape,
		maxQueued,
		...ofEach,
	}),
]);
export type ExecutorSettings = z.infer<typeof ExecutorSettings>;

/** The settings for all folders. */
export const CommonSettings = z.extend(DelegateSettings, {
	/** By agent: the widest permission mode that an agent may start another one with. */
	permissionsFromAgents: z.optional(z.record(z.string(), z.string())),
	/** By agent: whether Nancy carries answers to its questions, for a CLI of which that is a choice. */
	answers: z.optional(z.record(z.string(), z.boolean())),
	/** By name: other machines for delegates. Written by hand, or at a person's command: never copied from an editor's settings. */
	executors: z.optional(z.record(z.string(), ExecutorSettings)),
	/** Whether delegates run in a sandbox. For all folders: the setting of one folder could be an agent's. */
	isolate: z.optional(IsolationChoice),
	/** What is in the terminals that Nancy starts agents in: their CLI alone, a program of Nancy's around it, or one that talks with it. */
	terminalHost: z.optional(z.enum(['direct', 'watched', 'conversation'])),
	/** Absolute path of a program that is told of questions: see process/tellProgram. */
	notify: z.optional(z.string()),
});
export type CommonSettings = z.infer<typeof CommonSettings>;

/** Fields that a newer Nancy or a person added stay when the file is written. */
const Layer = z.looseObject({
	delegates: z._default(z.looseObject(CommonSettings.shape), {}),
	/** By absolute path of a folder; holds for those below it too. */
	folders: z._default(z.record(z.string(), z.looseObject(DelegateSettings.shape)), {}),
	/** Agents that the user names: see core/files/agentServers, which reads each entry by itself. */
	agentServers: z.optional(z.unknown()),
});
export type SettingsLayer = z.infer<typeof Layer>;

/** `settings.json` in the user's configuration folder: written by hand, but for `editor`. */
export const UserSettings = z.extend(Layer, {
	version: z._default(z.literal(1), 1),
	/** VS Code's settings, written by its windows. They override values that were written by hand. */
	editor: z.optional(Layer),
});
export type UserSettings = z.infer<typeof UserSettings>;
