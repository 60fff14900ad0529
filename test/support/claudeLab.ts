import { agentLab, type AgentLab, type AgentLabOptions } from './agentLab.ts';
import { claudeHome } from './claudeHome.ts';

export type ClaudeLab = AgentLab;
export type ClaudeLabOptions = AgentLabOptions;

/** The real Claude Code CLI. It bypasses permissions as root only in what says that it is a sandbox. */
export function claudeLab({ env, ...options }: ClaudeLabOptions = {}): Promise<ClaudeLab> {
	return agentLab(claudeHome, { ...options, env: { IS_SANDBOX: '1', ...env } });
}
