import type { AcpAgent } from '../core/driver/acp.ts';
import { SERVERS } from '../protocol/agentServer.ts';
import { acp as servers } from './acp/acp.ts';
import { acp as geminiCli } from './gemini-cli/acp.ts';
import { acp as qwenCode } from './qwen-code/acp.ts';

/** The agents that Nancy can talk with by the Agent Client Protocol, by the drivers that speak for them. */
export const acpAgents: Readonly<Record<string, AcpAgent>> = {
	'gemini-cli': geminiCli,
	kiro: servers,
	'qwen-code': qwenCode,
	[SERVERS]: servers,
};
