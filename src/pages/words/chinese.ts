import type { Words } from '../words'

/** The words of the pages in Chinese, in simplified characters. */
export const chinese: Words = {
  scopes: { profile: '知道您是谁' },
  consent: {
    question: '要将{client}连接到{tenant}吗？',
    confirm: '请确认',
    confirmTitle: '请确认：{question}',
    quote: '“{name}”',
    signedInAs: '您当前以{customer}的身份登录。',
    otherAccount: '使用其他账户',
    scopes: '{client}将能够：',
    publisher: '发布者',
    destination: '您将被转到',
    appOnDevice: '此设备上的应用（{host}）',
    appThatOpens: '此设备上打开 {address} 的应用',
    onDevice: '设备上的应用',
    anyAppOnDevice: '此设备上的任何应用都可以冒充{client}。请仅在您自己启动了该应用的情况下继续。',
    notChecked: '{tenant}未审核此应用。请仅在您刚刚要求它进行连接的情况下允许。',
    allow: '允许',
    deny: '拒绝',
    end: '页面末尾',
  },
  error: {
    title: '无法继续登录',
    noAnswer: '每个此类应用都有一个供我们查询的地址。这一次，该地址没有响应。您的账户没有任何问题。',
    tryAgain: '请稍后重试。',
    repeat: '重试',
    goBack: '请返回您之前使用的应用，并重新连接。',
    notAllowed: '{tenant}不允许此应用进行连接。如果您需要使用它，请联系{tenant}。',
    forDeveloper: '致应用开发者：{error}',
  },
  links: { privacy: '隐私', terms: '使用条款', imprint: '法律声明', support: '帮助' },
}
