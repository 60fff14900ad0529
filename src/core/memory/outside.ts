import type { EventWords } from '../driver/eventWords.ts';
import type { TrafficNode } from '../traffic/node.ts';

/** The names, over all CLIs, of the tool that runs a command and of the one that hands a task to a subagent. */
const SHELL = 'Bash';
const SUBAGENT = 'Agent';

const FETCHING =
	/(?:^|[\s;&|(/'"`=])(?:curl|wget|gh|glab|xh|aria2c|lynx|w3m|ssh|scp|sftp|nc|ncat|socat|telnet|iwr|irm|invoke-webrequest|invoke-restmethod)(?:\.exe)?(?=[\s;&|)'"`]|$)/i;
const ADDRESS =
	/\b(?:https?|wss?|ftp):\/\/(?!(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])(?::\d+)?(?:[/?#\s'"`;&|)]|$))/i;

/**
 * Whether a command names a program that fetches, or an address of another machine. A hint: a script that fetches shows nothing of it. Git
 * counts only with such an address. What it prints are names of commits, and what it brings are files of the repository.
 */
export function fetches(command: string): boolean {
	return FETCHING.test(command) || ADDRESS.test(command);
}

/** Which calls of a task may have brought what others wrote. */
export class Outside {
	/** A subagent has used such a tool, and any report of a subagent may repeat it. */
	private readonly isInReports: boolean;

	/**
	 * @param nodes of the task, its subagents' too
	 * @param inputOf what a call was given, in words
	 */
	constructor(
		nodes: readonly TrafficNode[],
		private readonly wordsOf: (driver: TrafficNode['event']['driver']) => EventWords | undefined,
		private readonly inputOf: (node: TrafficNode) => string,
	) {
		this.isInReports = nodes.some(
			node => node.event.subagent !== undefined && node.tool !== undefined && this.isOpen(node),
		);
	}

	mayCome(node: TrafficNode): boolean {
		return this.isOpen(node) || (this.isInReports && node.tool === SUBAGENT);
	}

	private isOpen(node: TrafficNode): boolean {
		const { driver, tool: own } = node.event;
		if (own === undefined || this.wordsOf(driver)?.inside.includes(own) !== true) return true;
		return node.tool === SHELL && fetches(this.inputOf(node));
	}
}
