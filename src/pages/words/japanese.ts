import type { Words } from '../words'

/** The words of the pages in Japanese. */
export const japanese: Words = {
  scopes: { profile: 'お客様が誰であるかを知る' },
  consent: {
    question: '{client}を{tenant}に接続しますか？',
    confirm: 'このアプリを本当に接続しますか？',
    confirmTitle: 'ご確認ください：{question}',
    quote: '「{name}」',
    signedInAs: '{customer}としてログインしています。',
    otherAccount: '別のアカウントを使用する',
    scopes: '{client}は次のことができるようになります：',
    unused: 'アプリが{time}使用しないと、接続は終了します。',
    lasts: '接続の有効期間は{time}です。',
    disconnect: '接続は、{apps}からいつでも解除できます。',
    publisher: '公開元',
    destination: '移動先',
    appOnDevice: 'このデバイス上のアプリ（{host}）',
    appThatOpens: 'このデバイスで{address}を開くアプリ',
    onDevice: 'デバイス上のアプリ',
    anyAppOnDevice:
      'このデバイス上のどのアプリも{client}を装うことができます。ご自身で起動した場合にのみ続けてください。',
    notChecked:
      '{tenant}はこのアプリを確認していません。たった今ご自身でこのアプリに接続を指示した場合にのみ許可してください。',
    known:
      'これは{publisher}の{client}です。{tenant}はこのアプリを確認していません。たった今ご自身でこのアプリに接続を指示した場合にのみ許可してください。',
    allow: '許可する',
    deny: '拒否する',
    end: 'ページの終わり',
  },
  error: {
    title: 'ログインできませんでした',
    noAnswer:
      'この種のアプリには、それぞれ当方が情報を照会するアドレスがあります。今回はそのアドレスから応答がありませんでした。お客様のアカウントに問題はありません。',
    tryAgain: 'しばらくしてからもう一度お試しください。',
    repeat: 'もう一度試す',
    goBack: '元のアプリに戻り、もう一度接続してください。',
    notAllowed:
      '{tenant}はこのアプリの接続を許可していません。このアプリが必要な場合は、{tenant}にお問い合わせください。',
    unknownApp: 'このアプリはここに登録されていません。アプリで接続を削除してから、もう一度接続してください。',
    wrongAddress:
      'アプリが、そのアプリのものではないアドレスにお客様を移動させようとしています。詐欺の可能性があります。もう一度試さずに、アプリの開発者にお問い合わせください。',
    noCompany: 'このアドレスに該当する企業はありません。アプリに入力したアドレスをご確認ください。',
    forDeveloper: 'アプリの開発者向け：{error}',
  },
  connected: {
    title: '接続済みアプリ',
    intro: '{tenant}に接続したアプリ：',
    none: '{tenant}に接続したアプリはありません。',
    since: '接続日',
    lastUsed: '最終使用日',
    destinations: 'サインインの移動先',
    may: 'このアプリができること：',
    managed: '{tenant}のサインインがこのアプリを接続しました。再び接続することがあります。',
    disconnect: '接続を解除',
    disconnectAll: 'すべての接続を解除',
    question: '{client}と{tenant}の接続を解除しますか？',
    questionAll: 'すべてのアプリと{tenant}の接続を解除しますか？',
    effect: 'アクセスは遅くとも{time}以内に終了します。いつでも再接続できます。',
    cancel: 'キャンセル',
  },
  links: { privacy: 'プライバシー', terms: '利用規約', imprint: '法的表示', support: 'ヘルプ', home: '{tenant}に戻る' },
}
