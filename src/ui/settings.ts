import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { httpsOrigin } from '../base/httpsOrigin.ts';
import { serverName } from '../protocol/agentServer.ts';
import { IsolationChoice } from '../protocol/isolation.ts';
import { agentSettings, SETTINGS } from './contributions.ts';

/** The user's settings, parsed: a settings file may hold anything. Defaults are package.json's. */

const Text = z.catch(z.string().check(z.trim()), '');
const Notice = z.catch(z.enum(['off', 'badge', 'notification']), 'notification');
export type Notice = z.infer<typeof Notice>;

function read<S extends z.ZodMiniType>(key: string, schema: S, folder?: string): z.infer<S> {
	const scope = folder === undefined ? undefined : vscode.Uri.file(folder);
	return schema.parse(vscode.workspace.getConfiguration(undefined, scope).get(key));
}

export function defaultAgent(): string {
	return read(SETTINGS.defaultAgent, Text);
}

/** It has no settings of its own: no manifest says that a workspace may not set them. */
const isUsersOwn = (driver: string) => serverName(driver) !== undefined;

/** Each CLI has its own models. `undefined` leaves the choice to the CLI. */
export function agentModel(driver: string): string | undefined {
	return isUsersOwn(driver) ? undefined : read(agentSettings(driver).model, Text) || undefined;
}

/** Where the user says an agent's program is; `undefined` where they leave it to the PATH. */
export function agentPath(driver: string): string | undefined {
	return isUsersOwn(driver) ? undefined : read(agentSettings(driver).path, Text) || undefined;
}

export function agentArguments(driver: string): readonly string[] {
	return isUsersOwn(driver) ? [] : read(agentSettings(driver).arguments, z.catch(z.array(z.string()), []));
}

export function notice(kind: 'permission' | 'stopped' | 'message' | 'delegate', folder: string): Notice {
	const key = {
		permission: SETTINGS.notifyPermission,
		stopped: SETTINGS.notifyStopped,
		message: SETTINGS.notifyMessage,
		delegate: SETTINGS.notifyDelegate,
	}[kind];
	return read(key, Notice, folder);
}

/** The user's program that is told of questions; empty: none. A workspace cannot choose it. */
export function notifyProgram(): string {
	return read(SETTINGS.deskNotify, Text);
}

/** What the user has set, without the default; `undefined` where that is nothing, or nothing that makes sense. */
function chosen<S extends z.ZodMiniType>(key: string, schema: S, folder: string): z.infer<S> | undefined {
	const found = vscode.workspace.getConfiguration(undefined, vscode.Uri.file(folder)).inspect(key);
	const value = schema.safeParse(found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue);
	return value.success ? value.data : undefined;
}

/** In percent of the context window; `undefined` if the user has chosen none. */
export function tokenThreshold(folder: string): number | undefined {
	return chosen(SETTINGS.tokenThreshold, z.number().check(z.minimum(1), z.maximum(100)), folder);
}

/** Whether agents get hooks; `undefined` if the user has not chosen. */
export function hooksChoice(folder: string): 'on' | 'off' | undefined {
	return chosen(SETTINGS.hooks, z.enum(['on', 'off']), folder);
}

/** Whether agents in terminals of this window get Nancy's MCP server. */
export function hasMcpServer(): boolean {
	return read(SETTINGS.mcpServer, z.catch(z.enum(['on', 'off']), 'off')) === 'on';
}

/** Where delegates run. */
export function delegateHost(): 'background' | 'tmux' {
	return read(SETTINGS.delegatesHost, z.catch(z.enum(['background', 'tmux']), 'background'));
}

/** The sandbox of delegates, if the user has chosen that here. No workspace can. Whoever mistypes it wants isolation all the same. */
export function chosenIsolation(): { isolate?: IsolationChoice } {
	const chosen = vscode.workspace.getConfiguration().inspect<unknown>(SETTINGS.delegatesIsolate)?.globalValue;
	return chosen === undefined ? {} : { isolate: IsolationChoice.safeParse(chosen).data ?? 'bwrap' };
}

/** How many delegates run at once; `undefined` where Nancy decides. */
export function maximumDelegates(): number | undefined {
	const maximum = read(SETTINGS.delegatesMax, z.catch(z.int().check(z.nonnegative()), 0));
	return maximum === 0 ? undefined : maximum;
}

/** What a new delegate may use up, in seconds. */
export function delegateLimits(): { wallSeconds: number; idleSeconds: number } {
	const seconds = (key: string, otherwise: number) =>
		read(key, z.catch(z.number().check(z.positive()), otherwise)) * 60;
	return { wallSeconds: seconds(SETTINGS.delegatesTimeout, 30), idleSeconds: seconds(SETTINGS.delegatesIdle, 10) };
}

/** Whether delegates are workers of claude-swarm too. */
export function swarmWorker(folder: string): boolean {
	return read(SETTINGS.delegatesSwarm, z.catch(z.boolean(), false), folder);
}

/** Whether a person may open the desk for browsers. No folder can set it. */
export function serverEnabled(): boolean {
	return read(SETTINGS.serverEnabled, z.catch(z.boolean(), false));
}

/** Where a tunnel of the user's makes the desk known; `undefined` for none, and for an address that others on the way can read. */
export function serverAddress(): URL | undefined {
	return httpsOrigin(read(SETTINGS.serverAddress, Text));
}

export function maximumSessions(): number {
	return read(SETTINGS.trafficSessions, z.catch(z.number().check(z.minimum(1)), 50));
}

/** How much traffic is kept, in bytes. */
export function trafficLimits(folder: string): { sessionBytes: number; totalBytes: number } {
	const bytes = (key: string, otherwise: number) =>
		read(key, z.catch(z.number().check(z.minimum(1)), otherwise), folder) * 1024 * 1024;
	return { sessionBytes: bytes(SETTINGS.trafficFileSize, 8), totalBytes: bytes(SETTINGS.trafficTotalSize, 512) };
}
