import type { Asking } from '../core/driver/asking.ts';
import { SERVERS } from '../protocol/agentServer.ts';
import { asking as servers } from './acp/asking.ts';
import { asking as amazonQ } from './amazon-q/asking.ts';
import { asking as claudeCode } from './claude-code/asking.ts';
import { asking as codex } from './codex/asking.ts';
import { asking as copilotCli } from './copilot-cli/asking.ts';
import { asking as geminiCli } from './gemini-cli/asking.ts';
import { asking as kiro } from './kiro/asking.ts';
import { asking as opencode } from './opencode/asking.ts';
import { asking as qwenCode } from './qwen-code/asking.ts';

/** The agents whose questions Nancy can carry, by the drivers that speak for them. Apart from the drivers, so that no other hook loads it. */
export const askings: Readonly<Record<string, Asking>> = {
	'amazon-q': amazonQ,
	'claude-code': claudeCode,
	codex,
	'copilot-cli': copilotCli,
	'gemini-cli': geminiCli,
	kiro,
	opencode,
	'qwen-code': qwenCode,
	[SERVERS]: servers,
};
