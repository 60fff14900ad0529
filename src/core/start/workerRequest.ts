import type { SessionId, TaskName, WorkerName } from '../../protocol/names.ts';
import type { Worktree } from '../../protocol/worktree.ts';
import type { HeadlessRequest } from '../driver/headless.ts';

/** A worker to start. */
export interface WorkerRequest {
	task: TaskName;
	/** A new worker gets the next free name when none is given. */
	worker?: WorkerName | undefined;
	/** First prompt; without one the agent waits for the user. */
	prompt?: string | undefined;
	model?: string | undefined;
	/** Continue the worker's last session instead of a new one. */
	resume?: boolean;
	/** Begin the new worker's session as a copy of the last one of this worker of the task. */
	fork?: WorkerName | undefined;
	/** The session to continue; by default the worker's newest conversation. */
	lastSession?: SessionId | undefined;
	/** One of the modes of an agent in a terminal; none where absent. */
	mode?: string | undefined;
	/** The images of the first prompt in a terminal, as absolute paths. */
	images?: readonly string[] | undefined;
	/** The user wants its questions to be answered from outside its terminal, where that is a choice. */
	takesAnswers?: boolean | undefined;
	/** The user wants Nancy to talk with it in a terminal of hers, where she can. */
	isTalkedWith?: boolean | undefined;
	/** The user wants its terminal watched, where Nancy can read its screen. */
	isWatched?: boolean | undefined;
	/** The user's own arguments for the agent CLI. */
	extra?: readonly string[];
	/** Folder with the `nancy` command, put first on the agent's PATH. */
	bin: string;
	/** In a terminal it gets Nancy's MCP server, if its CLI takes one at a launch. */
	mcp?: boolean | undefined;
	/** Where hooks come from; `undefined` if the user wants none. */
	hooks: { launcher: string; dataFolder: string } | undefined;
	/** Runs without a terminal, with this permission mode of the driver's. */
	headless?: Pick<HeadlessRequest, 'permissions' | 'maxCostUsd'> | undefined;
	/** Folder to run in; the workspace's where absent. */
	cwd?: string | undefined;
	/** A new worker's own, which holds {@link cwd}. */
	worktree?: Worktree | undefined;
	/** Environment that the agent will inherit. */
	env: Readonly<Record<string, string | undefined>>;
}
