import { join } from 'node:path';
import { readTextIfExists } from '../../base/atomicFile.ts';
import { isExecutable } from '../../base/searchPath.ts';
import { KEPT, NODE_VARIABLES } from '../driver/agentEnvironment.ts';

/** The program that runs the bundled JavaScript. */
export interface NodeProgram {
	executable: string;
	/** It is VS Code's own executable, which acts as Node only with a variable. */
	isElectron: boolean;
}

/** Folder of Node's own compile cache. */
export const CACHE = 'cache';
/** Names the Node that runs the rest: its path, and whether it is an editor's own. */
export const NODE_PROGRAM = 'node-program';

/**
 * V8's options of a runner, which mostly waits. Without a compiler it needs 19 MB less. With a small nursery, and where V8 collects early, it
 * stays small while its agent prints: the nursery alone would grow to 134 MB.
 */
export const LEAN = ['--jitless', '--optimize-for-size'] as const;

/**
 * NODE_OPTIONS can preload any file, and a rule that lets an agent run `nancy` must not allow that. The command starts without them, and its
 * children get them (`restoreNodeOptions`). Other variables have Node write files, wherever they say. People link the command into a folder
 * of their PATH; `readlink` of older systems knows no `-f`. A runner gets the options of {@link LEAN}.
 */
export const NANCY_SCRIPT = [
	'#!/bin/sh',
	'nancy_program=$0',
	'while [ -L "$nancy_program" ]; do',
	'	nancy_link=$(command -p readlink -- "$nancy_program")',
	'	case $nancy_link in /*) nancy_program=$nancy_link ;; *) nancy_program=${nancy_program%/*}/$nancy_link ;; esac',
	'done',
	'nancy_here=${nancy_program%/*}',
	'nancy_lean=',
	`[ "\${NANCY_LEAN-}" = 1 ] && nancy_lean='${LEAN.join(' ')}'`,
	'NANCY_NODE_OPTIONS=${NODE_OPTIONS-}',
	'export NANCY_NODE_OPTIONS',
	'unset NODE_OPTIONS NODE_REDIRECT_WARNINGS NODE_V8_COVERAGE NANCY_LEAN',
	'exec "$nancy_here/../node" $nancy_lean "$nancy_here/../nancy.js" "$@"',
	'',
].join('\n');

/**
 * Falls back to the `node` on PATH if the program of the installation has gone. Never uses one in the current folder, which an empty or
 * relative entry of PATH means: that may be somebody's repository. Never uses one in the outermost workspace here, where an agent may have
 * overwritten it, unless that holds the home folder (see base/searchPath). The cache spares V8 the compiling. The guard reads this script into
 * its own shell, and names its folder in `nancy_place`. Other names of its own would be variables that somebody may have exported.
 */
export const NODE_SCRIPT = [
	'#!/bin/sh',
	': "${nancy_place:=${0%/*}}"',
	'nancy_program=',
	'nancy_kind=',
	`{ IFS= read -r nancy_program && IFS= read -r nancy_kind; } 2>/dev/null <"$nancy_place/${NODE_PROGRAM}"`,
	'[ "$nancy_kind" = electron ] && ELECTRON_RUN_AS_NODE=1 && export ELECTRON_RUN_AS_NODE',
	'if ! [ -x "$nancy_program" ]; then',
	'	nancy_program=',
	'	nancy_outer=$PWD',
	'	nancy_up=$PWD',
	'	while [ -n "$nancy_up" ]; do',
	'		[ -e "$nancy_up/.nancy" ] && case ${HOME-}/ in "$nancy_up"/*) ;; *) nancy_outer=$nancy_up ;; esac',
	'		nancy_up=${nancy_up%/*}',
	'	done',
	'	case ${HOME-}/ in "$nancy_outer"/*) nancy_outer=none ;; esac',
	'	set -f',
	'	IFS=:',
	'	for nancy_folder in $PATH; do',
	'		case $nancy_folder/ in "$nancy_outer"/*) continue ;; esac',
	'		case $nancy_folder in /*) [ -f "$nancy_folder/node" ] && [ -x "$nancy_folder/node" ] && nancy_program=$nancy_folder/node && break ;; esac',
	'	done',
	'	unset IFS',
	'	[ -n "$nancy_program" ] || exit 127',
	'fi',
	`NODE_COMPILE_CACHE=$nancy_place/${CACHE}; export NODE_COMPILE_CACHE`,
	'exec "$nancy_program" "$@"',
	'',
].join('\n');

/**
 * Starts a program of Nancy's that runs a CLI in a terminal. The terminal's variables of Node are for that CLI: in Nancy's own Node, an unknown
 * option would end the terminal. The program gets them back by `environmentOfTerminal`.
 */
export const TERMINAL_SCRIPT = [
	'#!/bin/sh',
	...NODE_VARIABLES.flatMap(name => [
		`unset ${KEPT}${name}`,
		`[ -z "\${${name}+set}" ] || export "${KEPT}${name}=$${name}"`,
	]),
	`unset ${NODE_VARIABLES.join(' ')}`,
	'exec "${0%/*}/node" "$@"',
	'',
].join('\n');

/** The content of {@link NODE_PROGRAM}. */
export function nodeProgramText({ executable, isElectron }: NodeProgram): string {
	return `${executable}\n${isElectron ? 'electron' : 'node'}\n`;
}

/** The Node that a runtime names, while there is such a program. */
export async function recordedNode(folder: string): Promise<NodeProgram | undefined> {
	const [executable = '', kind] = ((await readTextIfExists(join(folder, NODE_PROGRAM))) ?? '').split('\n');
	return isExecutable(executable) ? { executable, isElectron: kind === 'electron' } : undefined;
}
