import type { AcpAgent, NamedAgent } from '../core/driver/acp.ts';
import { SERVERS } from '../protocol/agentServer.ts';
import { acp as servers } from './acp/acp.ts';
import { acp as geminiCli } from './gemini-cli/acp.ts';
import { steeredByPrompt as opencode } from './opencode/acp.ts';
import { acp as qwenCode } from './qwen-code/acp.ts';

/** The agents that Nancy can talk with by the Agent Client Protocol, by the drivers that speak for them. */
export const acpAgents: Readonly<Record<string, AcpAgent>> = {
	'gemini-cli': geminiCli,
	kiro: servers,
	'qwen-code': qwenCode,
	[SERVERS]: servers,
};

/** The agents that take a second prompt into the turn that runs. Any other may break the first one off. */
export const steeredByPrompt: readonly NamedAgent[] = [opencode];
