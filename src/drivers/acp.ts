import type { AcpAgent } from '../core/driver/acp.ts';
import { acp as geminiCli } from './gemini-cli/acp.ts';
import { acp as qwenCode } from './qwen-code/acp.ts';

/** The CLIs that Nancy can talk with by the Agent Client Protocol. */
export const acpAgents: Readonly<Record<string, AcpAgent>> = { 'gemini-cli': geminiCli, 'qwen-code': qwenCode };
