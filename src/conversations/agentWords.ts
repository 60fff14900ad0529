import * as z from 'zod/mini';
import { errorText } from '../base/errors.ts';

/** Some agents say in the data of an error what it is about, and only "Internal error" in its message. Qwen Code (0.24.4) says `details`. */
const WithData = z.looseObject({ data: z.union([z.string(), z.looseObject({ details: z.string() })]) });

/** What an agent says of an error, or the sentence of any other one. */
export function agentWords(error: unknown): string {
	const said = errorText(error);
	const { data } = WithData.safeParse(error);
	const about = typeof data?.data === 'string' ? data.data : data?.data.details;
	return about && !said.includes(about) ? `${said}: ${about}` : said;
}
