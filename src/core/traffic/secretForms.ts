/**
 * Secrets with a recognisable form: their beginnings, and the text that must follow. From the vendors' documentation of their tokens and
 * the output of their command lines. A form belongs here if it is long and unlike words, names and hashes.
 */
export const SECRET_FORMS: readonly (readonly [begins: readonly string[], goesOn: string])[] = [
	// Models and what is built around them.
	[['sk-', 'sk_', 'rk-', 'rk_', 'pk-', 'pk_'], '(?:live[-_]|test[-_])?[A-Za-z0-9_-]{16,}'],
	[
		['gsk_', 'xai-', 'hf_', 'api_org_', 'pplx-', 'tgp_v1_', 'jina_', 'nvapi-', 'e2b_', 'ABSK'],
		'[A-Za-z0-9_-]{20,}={0,2}',
	],
	[['r8_'], '[A-Za-z0-9]{30,}'],
	// Where code and packages are kept.
	[['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], '[A-Za-z0-9]{20,}'],
	[['github_pat_'], '[A-Za-z0-9_]{20,}'],
	[
		[
			'glpat-',
			'glrt-',
			'glrtr-',
			'gldt-',
			'glft-',
			'glsoat-',
			'glcbt-',
			'glptt-',
			'glagent-',
			'glimt-',
			'gloas-',
			'glffct-',
		],
		'[A-Za-z0-9_.=-]{16,}',
	],
	[['ATATT3', 'ATCTT3', 'ATBB'], '[A-Za-z0-9_=.-]{20,}'],
	[['npm_'], '[A-Za-z0-9]{30,}'],
	[['pypi-'], '(?=[A-Za-z0-9_-]{0,40}[A-Z])(?=[A-Za-z_-]{0,40}[0-9])[A-Za-z0-9_-]{32,}'],
	[['rubygems_'], '[a-f0-9]{40,}'],
	[['oy2'], '[a-z0-9]{43}(?![a-z0-9])'],
	[['dckr_pat_', 'dckr_oat_'], '[A-Za-z0-9_-]{20,}'],
	[['sgp_'], '[A-Za-z0-9_]{40,}'],
	// Clouds, and what runs in them.
	[['AKIA', 'ASIA', 'ABIA', 'ACCA'], '[0-9A-Z]{16}'],
	[['AIza'], '[A-Za-z0-9_-]{30,}'],
	[['ya29.', 'GOCSPX-', '1//0'], '[A-Za-z0-9_-]{20,}'],
	[['AQ.Ab'], '[A-Za-z0-9_-]{20,}'],
	[['vercel_'], '[A-Za-z0-9]{20,}'],
	[['EAACEdEose0cBA'], '[A-Za-z0-9]{10,}'],
	[['LTAI'], '[A-Za-z0-9]{12,24}(?![A-Za-z0-9])'],
	[['dop_v1_', 'doo_v1_', 'dor_v1_'], '[a-f0-9]{32,}'],
	[['hvs.', 'hvb.', 'hvr.'], '[A-Za-z0-9_-]{20,}'],
	[['dapi', 'dkea', 'dose'], '[a-f0-9]{32}(?:-\\d)?(?![a-f0-9])'],
	[
		[
			'pscale_tkn_',
			'pscale_pw_',
			'pscale_oauth_',
			'sbp_',
			'sb_secret_',
			'nfp_',
			'nfo_',
			'pul-',
			'fo1_',
			'fm2_',
			'tskey-',
		],
		'[A-Za-z0-9_.=-]{20,}',
	],
	[['ops_'], 'eyJ[A-Za-z0-9_-]{20,}={0,2}'],
	[['dt0c01.', 'dt0s01.', 'dt0s16.'], '[A-Z0-9]{24}\\.[A-Z0-9]{40,}'],
	// Payments, mail, shops and forms.
	[['whsec_'], '[A-Za-z0-9+/_-]{20,}={0,2}'],
	[['shpat_', 'shpca_', 'shppa_', 'shpss_', 'shptka_', 'shpua_'], '[A-Fa-f0-9]{32}'],
	[['sq0atp-', 'sq0csp-', 'EAAA'], '[A-Za-z0-9_-]{22,}'],
	[['SG.'], '[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}'],
	[['xkeysib-', 'xsmtpsib-'], '[a-f0-9]{40,}(?:-[A-Za-z0-9]{8,})?'],
	[['key-'], '[a-f0-9]{32}(?![A-Za-z0-9])'],
	[['pat-na1-', 'pat-eu1-'], '[a-f0-9-]{36}'],
	// Watching, planning, drawing, talking.
	[
		[
			'sntrys_',
			'sntryu_',
			'phx_',
			'glc_',
			'figd_',
			'figu_',
			'lin_api_',
			'lin_oauth_',
			'PMAK-',
			'CFPAT-',
			'dp.pt.',
			'dp.st.',
		],
		'[A-Za-z0-9_=+/.-]{20,}',
	],
	[['glsa_'], '[A-Za-z0-9]{20,}(?:_[A-Fa-f0-9]{8})?'],
	[['NRAK-', 'NRJS-', 'NRII-', 'NRRA-', 'NRAA-'], '[A-Za-z0-9-]{16,}'],
	[['ntn_', 'secret_'], '[A-Za-z0-9]{40,}'],
	[
		['xoxa-', 'xoxb-', 'xoxc-', 'xoxd-', 'xoxe-', 'xoxe.', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-'],
		'[A-Za-z0-9.%-]{10,}',
	],
	// Keys themselves.
	[['AGE-SECRET-KEY-', 'AGE-PLUGIN-'], '[A-Z0-9-]{20,}'],
	[['eyJ'], '[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{4,}(?:\\.[A-Za-z0-9_-]*)*'],
];

/** The text right before a secret: its beginning, its continuation, and the secret. In JSON a slash may be escaped. */
const PLACES: readonly (readonly [begins: readonly string[], goesOn: string, secret: string])[] = [
	[['hooks.slack.com'], String.raw`(?:\\?\/[a-z]{1,20}){1,2}\\?\/`, String.raw`(?:[A-Za-z0-9_-]|\\?\/){8,}`],
	[['discord.com', 'discordapp.com'], String.raw`\\?\/api\\?\/webhooks\\?\/\d{1,25}\\?\/`, '[A-Za-z0-9_-]{20,}'],
	[['webhook.office.com'], String.raw`\\?\/`, String.raw`(?:[A-Za-z0-9@_-]|\\?\/){20,}`],
	[['api.telegram.org'], String.raw`(?:\\?\/file)?\\?\/bot[0-9]{1,20}(?::|%3A)`, '[A-Za-z0-9_-]{4,}'],
	// As GitHub's own tokens were once.
	[['token', 'Token'], String.raw`[ \t]{1,8}`, '[a-f0-9]{40}(?![A-Za-z0-9])'],
	[['AccountKey=', 'SharedAccessKey='], '', '[A-Za-z0-9+/]{16,}={0,2}'],
	// The session of a Django application, and a variable that Windows keeps.
	[['sessionid='], '', '[A-Za-z0-9]{16,}'],
	[['setx'], String.raw`[ \t]{1,8}\w{0,60}(?:KEY|TOKEN|SECRET|PASS)\w{0,60}[ \t]{1,8}"?`, String.raw`[^\s"]{8,}`],
	// .netrc and .npmrc
	[
		['machine', 'default'],
		String.raw`(?:(?<=machine)[ \t]{1,8}\S{1,200}|(?<=default))\s{1,8}(?:(?:login|account)[ \t]{1,8}\S{1,200}\s{1,8}){0,2}password[ \t]{1,8}`,
		String.raw`\S{3,}`,
	],
	[['_auth'], String.raw`[ \t]{0,8}=[ \t]{0,8}"?`, '[A-Za-z0-9+/]{8,}={0,2}'],
];

/** A token may begin right behind one: `\n` in a string within a string, `%20` in an address, a colour of a terminal. */
const ESCAPES = [String.raw`\\[nrtbf]`, '%[0-9A-Fa-f]{2}', String.raw`\[[0-9;]{0,9}m`];

/** A place where a token can begin: no such characters before it, or an escape that ends with one. */
export function startAfter(characters: string): string {
	return `(?:(?<![${characters}])|${ESCAPES.map(escape => `(?<=${escape})`).join('|')})`;
}

/** If a word begins with one of these, the function returns the secret part of the text: from where to where. */
export interface Sign {
	begins: readonly string[];
	/** @param begin where the sign is; `end` is behind it */
	find(text: string, begin: number, end: number): readonly [from: number, to: number] | undefined;
}

export const formSigns: readonly Sign[] = SECRET_FORMS.map(([begins, goesOn]) => {
	const pattern = new RegExp(goesOn, 'y');
	return {
		begins,
		find: (text, begin, end) => {
			pattern.lastIndex = end;
			return pattern.test(text) ? [begin, pattern.lastIndex] : undefined;
		},
	};
});

export const placeSigns: readonly Sign[] = PLACES.map(([begins, goesOn, secret]) => {
	const before = new RegExp(goesOn, 'y');
	const pattern = new RegExp(secret, 'y');
	return {
		begins,
		find: (text, _begin, end) => {
			before.lastIndex = end;
			if (!before.test(text)) return undefined;
			const from = before.lastIndex;
			pattern.lastIndex = from;
			return pattern.test(text) ? [from, pattern.lastIndex] : undefined;
		},
	};
});

/**
 * Replaces the findings of all signs. A search for beginnings alone is many times faster than one for the whole forms. Each character is
 * looked at a bounded number of times. A character is required before the beginning, because that halves the time of a look behind. Escapes
 * have an expression of their own for the same reason.
 */
export function replacer(signs: readonly Sign[], replacement: string): (text: string) => string {
	const bySign = new Map(signs.flatMap(sign => sign.begins.map(begin => [begin, sign] as const)));
	// The longer first, if one begins like another.
	const atoms = [...bySign.keys()].toSorted((a, b) => b.length - a.length).map(each => each.replaceAll('.', '\\.'));
	const places = ['^|[^A-Za-z0-9_-]', ESCAPES.join('|')].map(
		place => new RegExp(`(?:${place})(${atoms.join('|')})`, 'g'),
	);
	const replaceAt = (text: string, place: RegExp) => {
		let result = '';
		let kept = 0;
		place.lastIndex = 0;
		for (let found = place.exec(text); found; found = place.exec(text)) {
			const [, begin = ''] = found;
			const end = place.lastIndex;
			const secret = bySign.get(begin)?.find(text, end - begin.length, end);
			if (secret) {
				result += text.slice(kept, secret[0]) + replacement;
				kept = secret[1];
			}
			// The last character may be the one before the next beginning.
			place.lastIndex = (secret ? kept : end) - 1;
		}
		return result + text.slice(kept);
	};
	return text => places.reduce(replaceAt, text);
}
