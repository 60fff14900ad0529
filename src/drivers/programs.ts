import type { KnownDriver } from '../core/asker/asker.ts';
import { program as amazonQ } from './amazon-q/program.ts';
import { program as claudeCode } from './claude-code/program.ts';
import { program as codex } from './codex/program.ts';
import { program as copilotCli } from './copilot-cli/program.ts';
import { program as geminiCli } from './gemini-cli/program.ts';
import { program as kiro } from './kiro/program.ts';
import { program as opencode } from './opencode/program.ts';
import { program as qwenCode } from './qwen-code/program.ts';

/**
 * What tells the processes of each agent CLI from others, in the order of `drivers`. Every `nancy` call asks for it, and loading the whole
 * drivers takes a fifth of such a call.
 */
export const programs: readonly KnownDriver[] = [
	claudeCode,
	copilotCli,
	codex,
	geminiCli,
	opencode,
	qwenCode,
	kiro,
	amazonQ,
];
