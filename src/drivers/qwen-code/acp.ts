import type { AcpAgent } from '../../core/driver/acp.ts';
import { SessionId } from '../../protocol/names.ts';

const PROMPT = '--prompt-interactive=';
const RESUME = '--resume=';

/** `qwen --acp`. Its options hold there too, but for those of a session and a prompt, which the protocol brings. */
export const acp: AcpAgent = {
	read(words) {
		const valueOf = (flag: string) => words.find(word => word.startsWith(flag))?.slice(flag.length);
		const resume = valueOf(RESUME);
		return {
			args: words.filter(word => !word.startsWith(PROMPT) && !word.startsWith(RESUME)),
			prompt: valueOf(PROMPT),
			resume: resume === undefined ? undefined : SessionId.parse(resume),
		};
	},
};
